"""The routes as a page for people; it needs nothing from elsewhere."""

import json
from typing import Any

from jinja2 import Environment

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{ info.title }}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow:auto;max-height:30rem}h2{font-size:1rem;margin:1.5rem 0 0}</style></head>
<body><h1>{{ info.title }} {{ info.version }}</h1><p>{{ info.description }} <a href="/openapi.json">openapi.json</a></p>
{% for path, methods in paths.items() %}{% for method, route in methods.items() %}
<h2><code>{{ method.upper() }} {{ path }}</code></h2><p>{{ route.summary }}</p>
{% if route.requestBody %}<details><summary>body</summary><pre>{{ shown(route.requestBody) }}</pre></details>{% endif %}
{% endfor %}{% endfor %}</body></html>
"""


def page(described: dict[str, Any]) -> str:
    """Return the page of an OpenAPI description."""
    template = Environment(autoescape=True).from_string(_PAGE)
    return template.render(**described, shown=_shown)


def _shown(body: dict[str, Any]) -> str:
    return json.dumps(body["content"]["application/json"]["schema"], indent=2)
