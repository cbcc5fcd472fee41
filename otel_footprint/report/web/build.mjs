// Builds the page's program and style into the folder that is named, "../assets" when none is.
import { build } from "esbuild";

await build({
  entryPoints: [
    { in: "src/main.tsx", out: "report" },
    { in: "src/style.css", out: "report" },
  ],
  outdir: process.argv[2] ?? "../assets",
  bundle: true,
  minify: true,
  // The page is ASCII, whatever an editor saved: the hashes of its policy are over exactly these bytes.
  charset: "ascii",
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  logLevel: "warning",
});
