"""Where a server can be reached: the socket that it listens on, and its address."""

import ipaddress
import socket

from repairlab.core.errors import UserError

BACKLOG = 1024
MOST_CONNECTIONS = 2000
_LAST_PORT = 65535


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    if not 0 <= port <= _LAST_PORT:
        raise UserError(f"--port is {port}: ports go from 0 to {_LAST_PORT}")
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot listen on {host} port {port}: {reason}; choose another with --port, 0 for any") from None


def address_of(listening: socket.socket) -> str:
    """Return where a listening socket can be reached."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    >>> is_loopback("127.0.0.2"), is_loopback("0.0.0.0"), is_loopback("localhost"), is_loopback("example.org")
    (True, False, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
