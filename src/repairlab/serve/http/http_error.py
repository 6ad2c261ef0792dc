"""Why a request is not served. Raised by everything behind the routes, turned into an answer by `app`."""

import math


class RequestRefused(Exception):  # noqa: N818  # an answer, not a failure
    """An answer with a status of 400 or more; nothing of it names a path, a key or a line of ours."""

    def __init__(self, status: int, code: str, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message
        self.headers = {} if retry_after_s is None else {"Retry-After": str(max(1, math.ceil(retry_after_s)))}
        if status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"

    @property
    def data(self) -> dict[str, object]:
        """Return the body of the answer; `detail` is for clients of other services, which look there."""
        return {"error": {"code": self.code, "message": self.message}, "detail": self.message}


def bad_request(message: str) -> RequestRefused:
    """Return the refusal of a request that makes no sense."""
    return RequestRefused(400, "bad_request", message)
