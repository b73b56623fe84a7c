"""An authorisation server, and a server that requires its tokens, of the Python package `mcp`.

It prints its issuer, for example `http://127.0.0.1:8000`; its server is at `/mcp`. POST requests control it: `/expire` ends all
access tokens, `/forget` all refresh tokens, and `/introspect` with the field `token` describes a token.
"""

import secrets
import socket
import time

import uvicorn
from starlette.responses import JSONResponse, Response

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

listener = socket.create_server(("127.0.0.1", 0))
ISSUER = f"http://127.0.0.1:{listener.getsockname()[1]}"


class Provider(OAuthAuthorizationServerProvider):
    """Everyone who opens the page is Ada, and agrees."""

    def __init__(self):
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}
        self.counts = {"authorize": 0, "refresh": 0, "register": 0}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.counts["register"] += 1
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        self.counts["authorize"] += 1
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
            subject="ada",
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state, iss=ISSUER)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    def issue(self, client, scopes, resource):
        token, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        common = {"client_id": client.client_id, "scopes": scopes, "resource": resource, "subject": "ada"}
        self.access[token] = AccessToken(token=token, expires_at=int(time.time()) + 3600, **common)
        self.refresh[refresh] = RefreshToken(token=refresh, **common)
        return OAuthToken(access_token=token, expires_in=3600, scope=" ".join(scopes), refresh_token=refresh)

    async def exchange_authorization_code(self, client, authorization_code):
        del self.codes[authorization_code.code]
        return self.issue(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        self.counts["refresh"] += 1
        del self.refresh[refresh_token.token]
        return self.issue(client, scopes or refresh_token.scopes, refresh_token.resource)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)


provider = Provider()
server = MCPServer(
    "authorised",
    log_level="ERROR",
    auth_server_provider=provider,
    auth=AuthSettings(
        issuer_url=ISSUER,
        resource_server_url=f"{ISSUER}/mcp",
        required_scopes=["tools"],
        validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(
            enabled=True, valid_scopes=["tools", "other"], default_scopes=["tools", "other"]
        ),
    ),
)


@server.tool()
def who_am_i() -> str:
    """The user of the token."""
    token = get_access_token()
    return f"{token.subject}: {' '.join(token.scopes)}"


@server.custom_route("/expire", methods=["POST"])
async def expire(request):
    provider.access.clear()
    return Response()


@server.custom_route("/forget", methods=["POST"])
async def forget(request):
    provider.refresh.clear()
    return Response()


@server.custom_route("/counts", methods=["POST"])
async def counts(request):
    return JSONResponse(provider.counts)


@server.custom_route("/introspect", methods=["POST"])
async def introspect(request):
    token = provider.access.get((await request.form()).get("token"))
    if token is None:
        return JSONResponse({"active": False})
    return JSONResponse({"active": True, "sub": token.subject, "scope": " ".join(token.scopes), "aud": token.resource})


print(ISSUER, flush=True)
uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error")).run(sockets=[listener])
