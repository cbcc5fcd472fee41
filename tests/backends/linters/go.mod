module otel-footprint/tests/backends/linters

go 1.25.0
