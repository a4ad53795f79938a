"""What is true about KV caches: bytes, tokens and parameters, exact until they are formatted."""

__version__ = "0.1.0"
