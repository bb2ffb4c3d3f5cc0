"""Tables, charts, HTML."""
