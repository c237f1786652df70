"""Generated requests against the OpenAPI document: none makes the server fail or answer what is not documented."""

from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient


def test_generated_requests_are_answered_as_documented(client: TestClient, token: Any) -> None:
    schema = schemathesis.openapi.from_dict(client.get("/api/v1/openapi.json").json())
    headers = {"Authorization": f"Bearer {token()}"}
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 45

    def answered(case: Any) -> None:
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1:8765/api/v1")
        more = {name: sent[name] for name in ("json", "data", "params") if sent.get(name) is not None}
        found = client.request(sent["method"], sent["url"], headers={**(sent.get("headers") or {}), **headers}, **more)
        documented = {int(status) for status in case.operation.definition.raw["responses"]}
        assert found.status_code in documented, (case.method, sent["url"], found.status_code, found.text)
        assert found.status_code < 500, found.text

    bounded = settings(
        max_examples=5,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for operation in operations:
        bounded(given(case=operation.as_strategy())(answered))()
