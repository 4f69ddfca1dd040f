# SPDX-License-Identifier: Apache-2.0
"""`ketama` in its two forms against libmemcached's own library and against nginx's `hash ... consistent`."""

import ctypes
import http.client

import pytest

from programs import KEYS, free_ports, is_free, lookup, needs

# enum memcached_behavior_t, of /usr/include/libmemcached-1.0/types/behavior.h
KETAMA_WEIGHTED = 16


@pytest.fixture(scope="module")
def library():
    try:
        found = ctypes.CDLL("libmemcached.so.11")
    except OSError:
        pytest.skip("libmemcached.so.11 is not installed (make deps)")
    found.memcached_create.restype = ctypes.c_void_p
    found.memcached_create.argtypes = [ctypes.c_void_p]
    found.memcached_free.argtypes = [ctypes.c_void_p]
    found.memcached_behavior_set.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]
    found.memcached_server_add_with_weight.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint16,
                                                       ctypes.c_uint32]
    found.memcached_generate_hash.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    found.memcached_generate_hash.restype = ctypes.c_uint32
    return found


SERVERS = [
    pytest.param([("10.0.1.1", 11211, 1), ("10.0.1.2", 11211, 1), ("10.0.1.3", 11211, 1)], id="equal"),
    pytest.param([("10.0.1.1", 11211, 600), ("10.0.1.2", 11211, 300), ("10.0.1.3", 11211, 200),
                  ("10.0.1.4", 11211, 350), ("10.0.1.5", 11211, 1000)], id="weights"),
    pytest.param([(f"cache-{n}.example", 11000 + n, 1 + n % 3) for n in range(17)], id="ports"),
]


@pytest.mark.parametrize("servers", SERVERS)
def test_libmemcached(library, servers):
    memcached = library.memcached_create(None)
    try:
        assert library.memcached_behavior_set(memcached, KETAMA_WEIGHTED, 1) == 0
        for host, port, weight in servers:
            assert library.memcached_server_add_with_weight(memcached, host.encode(), port, weight) == 0
        theirs = [servers[library.memcached_generate_hash(memcached, key.encode(), len(key))] for key in KEYS]
    finally:
        library.memcached_free(memcached)
    members = ",".join(f"{host}:{port}={weight}" for host, port, weight in servers)
    ours = [row["owner"] for row in lookup(KEYS, "--scheme", "ketama", "--members", members)]
    assert ours == [f"{host}:{port}" for host, port, _ in theirs]
    assert len(set(ours)) == len(servers)


NGINX = """\
daemon off;
master_process off;
pid {dir}/nginx.pid;
error_log {dir}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    keepalive_requests 20000;
    upstream caches {{
        hash $arg_key consistent;
        {upstream}
        keepalive 16;
    }}
    server {{
        listen 127.0.0.1:{front};
        location / {{
            proxy_pass http://caches;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
    {servers}
}}
"""


@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 3, 2, 1, 1]], ids=["equal", "weights"])
def test_nginx(program, tmp_path, weights):
    nginx = needs("nginx")
    front, *ports = free_ports(1 + len(weights))
    text = NGINX.format(
        dir=tmp_path, front=front,
        upstream="\n".join(f"server 127.0.0.1:{port} weight={weight} max_fails=0;"
                           for port, weight in zip(ports, weights)),
        servers="\n".join(f'server {{ listen 127.0.0.1:{port}; return 200 "127.0.0.1:{port}"; }}' for port in ports))
    (tmp_path / "nginx.conf").write_text(text)
    program(lambda: not is_free(front), nginx, "-p", tmp_path, "-e", tmp_path / "error.log", "-c", tmp_path / "nginx.conf")
    connection = http.client.HTTPConnection("127.0.0.1", front, timeout=10)
    theirs = []
    for key in KEYS:
        connection.request("GET", f"/?key={key}")
        theirs.append(connection.getresponse().read().decode())
    connection.close()
    members = ",".join(f"127.0.0.1:{port}={weight}" for port, weight in zip(ports, weights))
    ours = [row["owner"] for row in lookup(KEYS, "--scheme", "ketama", "--ketama", "nginx", "--members", members)]
    assert ours == theirs
    assert len(set(ours)) == len(ports)
