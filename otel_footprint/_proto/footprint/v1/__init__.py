"""Generated protobuf code: see ``make generate``."""
