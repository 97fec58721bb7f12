#!/usr/bin/env python3
"""The HTTP interface of ClickHouse over chdb, the same engine as a library: `clickhouse_server.py FOLDER [PORT]`.

For tests where no ClickHouse server is installed. Prints `listening on PORT`. User and password are those of
CLICKHOUSE_USER and CLICKHOUSE_PASSWORD. A folder belongs to one process; its data survives SIGKILL. There are no
replicas, and results are not streamed. The library reports success for an INSERT of data that fails when its part is
written, such as on a full disk: tests inject these exceptions with fault_proxy.mjs.
"""

import argparse
import gzip
import http.server
import os
import queue
import re
import urllib.parse

import chdb

CONNECTIONS = 8
CHUNK = 1 << 20
# Fields of a URL that are not settings of the statement. The connections are not read-only, because SET must work.
NOT_SETTINGS = {
    "query", "database", "default_format", "query_id", "user", "password", "readonly", "wait_end_of_query",
    "enable_http_compression", "cancel_http_readonly_queries_on_client_close", "async_insert",
}
# Status codes by exception code; 500 for others.
STATUS = {27: 400, 47: 400, 53: 400, 60: 404, 62: 400, 81: 404, 115: 404, 159: 408, 242: 400, 516: 403}
INSERT_OF_DATA = re.compile(r"\s*INSERT\s+INTO\b(.*?)\bFORMAT\s+(\w+)\s*$", re.IGNORECASE | re.DOTALL)
EXCEPTION = re.compile(r"Code: (\d+)")


def literal(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Connection:
    """A connection of the engine, with the database and the settings that its last statement had."""

    def __init__(self, folder):
        self.engine = chdb.connect(folder)
        self.database = "default"
        self.settings = {}

    def prepare(self, database, settings):
        if database != self.database:
            self.engine.query("USE `" + database.replace("`", "``") + "`")
            self.database = database
        changes = [f"{name} = {literal(value)}" for name, value in settings.items() if self.settings.get(name) != value]
        changes += [f"{name} = DEFAULT" for name in self.settings if name not in settings]
        if changes:
            self.settings = {}  # unknown if the statement fails
            self.engine.query("SET " + ", ".join(changes))
            self.settings = settings

    def insert(self, statement, data_format, settings, rows):
        """Inserts rows; their settings, such as the token, are those of this statement alone."""
        if settings:
            statement += " SETTINGS " + ", ".join(f"{name} = {literal(value)}" for name, value in settings.items())
        with self.engine.send_insert(statement, data_format) as sink:
            for at in range(0, len(rows), CHUNK):
                sink.append(rows[at : at + CHUNK])
            sink.finish()

    def run(self, statement, result_format, parameters):
        return self.engine.query(statement, result_format, params=parameters or None).bytes() or b""


class Pool:
    def __init__(self, folder):
        self.idle = queue.LifoQueue()
        for _ in range(CONNECTIONS):
            self.idle.put(Connection(folder))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pool = None
    version = ""

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionError:
            pass  # the client has left

    def do_GET(self):
        self.respond_to(b"")

    def do_POST(self):
        self.respond_to(self.body())

    def body(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def respond_to(self, body):
        url = urllib.parse.urlsplit(self.path)
        self.fields = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
        if url.path == "/ping":
            return self.send(200, b"Ok.\n")
        user = self.headers.get("X-ClickHouse-User", "default")
        password = self.headers.get("X-ClickHouse-Key", "")
        if (user, password) != (os.environ.get("CLICKHOUSE_USER", "default"), os.environ.get("CLICKHOUSE_PASSWORD", "")):
            return self.refuse(516, f"Code: 516. DB::Exception: {user}: Authentication failed. (AUTHENTICATION_FAILED)")
        connection = self.pool.idle.get()
        try:
            result = self.execute(connection, body)
        except Exception as failure:  # the engine raises no narrower class
            text = str(failure).strip()
            code = EXCEPTION.search(text)
            return self.refuse(int(code.group(1)) if code else 1002, text)
        finally:
            self.pool.idle.put(connection)
        return self.send(200, result)

    def execute(self, connection, body):
        parameters = {name[6:]: value for name, value in self.fields.items() if name.startswith("param_")}
        settings = {
            name: value
            for name, value in self.fields.items()
            if name not in NOT_SETTINGS and not name.startswith("param_")
        }
        database = self.headers.get("X-ClickHouse-Database") or self.fields.get("database", "default")
        statement = self.fields.get("query", "")
        insert = INSERT_OF_DATA.fullmatch(statement)
        if insert:
            connection.prepare(database, {})
            connection.insert("INSERT INTO" + insert.group(1), insert.group(2), settings, body)
            return b""
        connection.prepare(database, settings)
        return connection.run(statement + body.decode(), self.fields.get("default_format", "TabSeparated"), parameters)

    def refuse(self, code, text):
        message = f"{text} (version {self.version})\n".encode()
        self.send(STATUS.get(code, 500), message, [("X-ClickHouse-Exception-Code", str(code))])

    def send(self, status, body, headers=()):
        self.send_response(status)
        if self.fields.get("enable_http_compression") == "1" and "gzip" in self.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            self.send_header("Content-Encoding", "gzip")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        try:
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True  # the client has left


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("port", nargs="?", type=int, default=0)
    options = parser.parse_args()
    Handler.pool = Pool(options.folder)
    first = Handler.pool.idle.get()
    Handler.version = first.run("SELECT version()", "TabSeparated", {}).decode().strip()
    Handler.pool.idle.put(first)
    server = Server(("127.0.0.1", options.port), Handler)
    print(f"listening on {server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
