import { render } from "preact";
import { App } from "./app";
import { open } from "./source";

const root = document.getElementById("app");
if (root !== null) {
  root.replaceChildren();
  render(<App source={open()} />, root);
}
