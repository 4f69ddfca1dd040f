# SPDX-License-Identifier: Apache-2.0
"""What runs on the lab's backends and clients: real nginx, datagram servers, and the clients of traffic.py."""

from pathlib import Path

from harness import PYTHON, HarnessError
from harness.wait import wait_until

TRAFFIC = [PYTHON, "-B", Path(__file__).with_name("traffic.py")]
FILE_BYTES = 64 << 20
PORTS = (80, 5432)  # that nginx listens on

NGINX = """\
daemon off;
user www-data;
worker_processes 1;
pid {dir}/nginx.pid;
error_log {dir}/nginx.error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    default_type text/plain;
    server_tokens off;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    server {{
        {listen}
        add_header X-Backend {name};
        location = / {{ return 200 "{name}\\n"; }}
        location = /file {{ root {dir}/www; }}
        location = /slow {{ alias {dir}/www/file; limit_rate 2m; }}
    }}
}}
"""


def start_nginx(host, ports=PORTS):
    (host.dir / "www").mkdir(parents=True, exist_ok=True)
    with open(host.dir / "www" / "file", "wb") as file:
        file.truncate(FILE_BYTES)
    listen = " ".join(f"listen {port}; listen [::]:{port};" for port in ports)
    config = host.dir / "nginx.conf"
    config.write_text(NGINX.format(dir=host.dir, name=host.name, listen=listen))
    process = host.spawn("nginx", "nginx", "-p", host.dir, "-c", config, "-e", host.dir / "nginx.error.log")

    def answers():
        if not process.alive():
            raise HarnessError(f"nginx of {host.name} ended: {process.output()}")
        return host.run("curl", "-s", f"http://127.0.0.1:{ports[0]}/", check=False).stdout.strip() == host.name

    wait_until(answers, 10, f"nginx of {host.name} answers")
    return process


def start_datagram_server(host, address, port):
    process = host.spawn(f"serve-{port}", *TRAFFIC, "serve", host.name, address, port)
    hexport = f":{port:04X} "
    table = "/proc/net/udp6" if ":" in address else "/proc/net/udp"
    wait_until(lambda: hexport in host.run("cat", table).stdout, 10, f"{host.name} serves {address} {port}")
    return process


def start_traffic(host, verb, address, port, *options):
    """Starts a client of traffic.py on host; its result() tells what it counted."""
    host.traffic = getattr(host, "traffic", 0) + 1
    return host.spawn(f"{verb}-{host.traffic}", *TRAFFIC, verb, address, port, *options)
