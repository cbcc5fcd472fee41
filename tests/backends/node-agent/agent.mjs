// Turns of an agent with the stock SDK of Node. The same spans go to every entrance: over gRPC (grpc://HOST:PORT) or
// over HTTP with protobuf (http://HOST:PORT). Prints the trace ids, one a line.
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as HttpExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

const TURNS = 2;

function exporter(entrance) {
  return entrance.startsWith("grpc:")
    ? new GrpcExporter({ url: entrance.replace("grpc:", "http:") })
    : new HttpExporter({ url: `${entrance}/v1/traces` });
}

function turn(tracer, number) {
  const server = tracer.startSpan("POST /ask", { kind: SpanKind.SERVER, attributes: { "http.request.method": "POST" } });
  const agent = tracer.startSpan(
    "invoke_agent helper",
    {
      attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "helper", order: [1, 2, 3] },
      links: [{ context: server.spanContext(), attributes: { why: "asked" } }],
    },
    trace.setSpan(context.active(), server),
  );
  const within = trace.setSpan(context.active(), agent);
  const chat = tracer.startSpan(
    "chat large",
    {
      kind: SpanKind.CLIENT,
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.request.model": "large", "gen_ai.usage.input_tokens": 12 },
    },
    within,
  );
  chat.addEvent("gen_ai.choice", { finish_reason: "tool_calls" });
  chat.end();
  const tool = tracer.startSpan(
    "execute_tool bash",
    {
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.id": `call-${number}`,
        "gen_ai.tool.call.arguments": JSON.stringify({ command: "npm test" }),
        "gen_ai.tool.call.result": JSON.stringify({ exit_code: number, stdout: "1 failed" }),
      },
    },
    within,
  );
  if (number) tool.setStatus({ code: SpanStatusCode.ERROR, message: "it failed" });
  tool.end();
  agent.end();
  server.end();
  return server.spanContext().traceId;
}

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "node-chain", "service.version": "1.2" }),
  spanProcessors: process.argv.slice(2).map((entrance) => new BatchSpanProcessor(exporter(entrance))),
});
const tracer = provider.getTracer("node-chain", "1");
const traces = Array.from({ length: TURNS }, (_, number) => turn(tracer, number));
await provider.shutdown();
console.log(traces.join("\n"));
