"""A store that speaks S3: OpenStack Swift, the proxy and its three servers in one process, on ports of loopback.

Usage: swift_server.py FOLDER [PORT]. Prints the port of the proxy once it answers. Ends when the standard input is closed.
Swift checks signatures, hashes and tokens of requests, and keeps its data in FOLDER: started again, it has them still.
"""
import os
import sys
import threading

import eventlet

eventlet.monkey_patch(thread=False)

from eventlet import wsgi  # noqa: E402
from swift.common import utils  # noqa: E402
from swift.common.ring import RingBuilder  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

KINDS = ('account', 'container', 'object')

SERVER = """
[DEFAULT]
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
[pipeline:main]
pipeline = app
[app:app]
use = egg:swift#{kind}
"""

PROXY = """
[DEFAULT]
swift_dir = {folder}
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats bulk s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:tempauth]
use = egg:swift#tempauth
user_tests_writer = word-of-the-tests .admin
user_tests_nobody = word-of-the-tests
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
max_bucket_listing = 100
[filter:slo]
use = egg:swift#slo
"""


class Cache:
    """What memcached does for Swift."""

    def __init__(self):
        self.values = {}

    def get(self, key, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def delete(self, key, **_):
        self.values.pop(key, None)


def with_cache(app, cache):
    def call(env, start_response):
        env['swift.cache'] = cache
        return app(env, start_response)

    return call


def write(path, text):
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def prepare(folder):
    os.makedirs(os.path.join(folder, 'devices', 'd1'), exist_ok=True)
    hashes = '[swift-hash]\nswift_hash_path_prefix = tests\n[storage-policy:0]\nname = only\ndefault = yes\n'
    utils.SWIFT_CONF_FILE = write(os.path.join(folder, 'swift.conf'), hashes)
    utils.validate_hash_conf()


def write_ring(folder, kind, port):
    builder = RingBuilder(0, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'd1', 'weight': 1})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, kind + '.ring.gz'))


def serve(socket, path):
    with open(os.devnull, 'w', encoding='utf-8') as nowhere:
        wsgi.server(socket, with_cache(loadapp(path), Cache()), nowhere, log_output=False, keepalive=60)


def main(folder, port=0):
    prepare(folder)
    sockets = {kind: eventlet.listen(('127.0.0.1', 0)) for kind in KINDS}
    for kind, socket in sockets.items():
        write_ring(folder, kind, socket.getsockname()[1])
    for kind, socket in sockets.items():
        eventlet.spawn(serve, socket, write(os.path.join(folder, kind + '.conf'), SERVER.format(folder=folder, kind=kind)))
    proxy = eventlet.listen(('127.0.0.1', port))
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(proxy.getsockname()[1], flush=True)
    serve(proxy, write(os.path.join(folder, 'proxy.conf'), PROXY.format(folder=folder)))


main(sys.argv[1], *map(int, sys.argv[2:]))
