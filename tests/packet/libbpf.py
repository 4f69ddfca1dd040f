# SPDX-License-Identifier: Apache-2.0
"""A thin binding to libbpf.so.1: load an object, reach its maps, run its programs on frames."""

import ctypes
import mmap
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p

from harness.layout import Layout

_lib = ctypes.CDLL("libbpf.so.1", use_errno=True)
_SIGNATURES = {
    "bpf_object__open_file": (c_void_p, c_char_p, c_void_p),
    "bpf_object__load": (c_int, c_void_p),
    "bpf_object__close": (None, c_void_p),
    "bpf_object__find_map_by_name": (c_void_p, c_void_p, c_char_p),
    "bpf_object__next_map": (c_void_p, c_void_p, c_void_p),
    "bpf_object__find_program_by_name": (c_void_p, c_void_p, c_char_p),
    "bpf_object__next_program": (c_void_p, c_void_p, c_void_p),
    "bpf_program__fd": (c_int, c_void_p),
    "bpf_program__name": (c_char_p, c_void_p),
    "bpf_map__fd": (c_int, c_void_p),
    "bpf_map__name": (c_char_p, c_void_p),
    "bpf_map__value_size": (c_uint32, c_void_p),
    "bpf_map__key_size": (c_uint32, c_void_p),
    "bpf_map__max_entries": (c_uint32, c_void_p),
    "bpf_map__set_max_entries": (c_int, c_void_p, c_uint32),
    "bpf_map__reuse_fd": (c_int, c_void_p, c_int),
    "bpf_map__initial_value": (c_void_p, c_void_p, POINTER(c_size_t)),
    "bpf_map_lookup_elem": (c_int, c_int, c_void_p, c_void_p),
    "bpf_map_update_elem": (c_int, c_int, c_void_p, c_void_p, c_uint64),
    "bpf_prog_test_run_opts": (c_int, c_int, c_void_p),
    "bpf_obj_pin": (c_int, c_int, c_char_p),
    "bpf_obj_get": (c_int, c_char_p),
    "libbpf_set_print": (c_void_p, c_void_p),
    "libbpf_num_possible_cpus": (c_int,),
}
for _name, (_result, *_arguments) in _SIGNATURES.items():
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

PROCESSORS = _lib.libbpf_num_possible_cpus()
LONGEST_FRAME = 4096


class _TestRun(ctypes.Structure):
    """struct bpf_test_run_opts as of libbpf 1.0."""
    _fields_ = [("sz", c_size_t), ("data_in", c_void_p), ("data_out", c_void_p), ("data_size_in", c_uint32),
                ("data_size_out", c_uint32), ("ctx_in", c_void_p), ("ctx_out", c_void_p),
                ("ctx_size_in", c_uint32), ("ctx_size_out", c_uint32), ("retval", c_uint32), ("repeat", c_int),
                ("duration", c_uint32), ("flags", c_uint32), ("cpu", c_uint32), ("batch_size", c_uint32)]


class XdpContext(ctypes.Structure):
    """struct xdp_md: what a test run may say of where a frame came in."""
    _fields_ = [(name, c_uint32) for name in ("data", "data_end", "data_meta", "ingress_ifindex",
                                              "rx_queue_index", "egress_ifindex")]


def _checked(result, what):
    if result is None or (isinstance(result, int) and result < 0):
        error = -result if isinstance(result, int) and result < -1 else ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


class Map:
    def __init__(self, handle):
        self.handle = handle
        self.name = _lib.bpf_map__name(handle).decode()
        self.key_size = _lib.bpf_map__key_size(handle)
        self.value_size = _lib.bpf_map__value_size(handle)

    @property
    def fd(self):
        return _lib.bpf_map__fd(self.handle)

    @property
    def entries(self):
        return _lib.bpf_map__max_entries(self.handle)

    def _key(self, key):
        key = key.to_bytes(4, "little") if isinstance(key, int) else bytes(key)
        assert len(key) == self.key_size, self.name
        return key

    def update(self, key, value):
        value = bytes(value)
        assert len(value) == self.value_size, f"{self.name}: {len(value)} bytes, not {self.value_size}"
        _checked(_lib.bpf_map_update_elem(self.fd, self._key(key), value, 0), self.name)

    def lookup(self, key):
        value = ctypes.create_string_buffer(self.value_size)
        _checked(_lib.bpf_map_lookup_elem(self.fd, self._key(key), value), self.name)
        return value.raw

    def lookup_each(self, key):
        """The value on every processor, of a per-CPU map."""
        stride = (self.value_size + 7) // 8 * 8
        values = ctypes.create_string_buffer(stride * PROCESSORS)
        _checked(_lib.bpf_map_lookup_elem(self.fd, self._key(key), values), self.name)
        return [values.raw[i * stride:i * stride + self.value_size] for i in range(PROCESSORS)]

    def memory(self):
        """An mmapable array, as memory."""
        return mmap.mmap(self.fd, self.entries * ((self.value_size + 7) // 8 * 8), mmap.MAP_SHARED)


class Program:
    def __init__(self, handle):
        self.name, self.fd = _lib.bpf_program__name(handle).decode(), _lib.bpf_program__fd(handle)

    @classmethod
    def pinned(cls, path):
        """One that is pinned, whoever loaded it. The caller closes its fd."""
        program = cls.__new__(cls)
        program.name, program.fd = str(path), _checked(_lib.bpf_obj_get(str(path).encode()), path)
        return program

    def run(self, frame, ifindex=None, repeat=1):
        """Returns (verdict, frame as it came out)."""
        out = ctypes.create_string_buffer(LONGEST_FRAME + len(frame))
        run = _TestRun(sz=ctypes.sizeof(_TestRun), data_in=ctypes.cast(c_char_p(frame), c_void_p),
                       data_size_in=len(frame), data_out=ctypes.addressof(out), data_size_out=len(out),
                       repeat=repeat)
        if ifindex is not None:
            context = XdpContext(data_end=len(frame), ingress_ifindex=ifindex)
            run.ctx_in, run.ctx_size_in = ctypes.addressof(context), ctypes.sizeof(context)
        _checked(_lib.bpf_prog_test_run_opts(self.fd, byref(run)), self.name)
        return run.retval, out.raw[:run.data_size_out]

    def pin(self, path):
        _checked(_lib.bpf_obj_pin(self.fd, str(path).encode()), path)


class Object:
    """A loaded object. sizes: entries by map; shared: maps of another object to use; read_only: the bytes of
    constants by name."""

    def __init__(self, path, sizes=None, shared=None, read_only=None):
        _lib.libbpf_set_print(None)
        self.handle = _checked(_lib.bpf_object__open_file(str(path).encode(), None), path)
        for name, entries in (sizes or {}).items():
            _checked(_lib.bpf_map__set_max_entries(self._map(name), entries), name)
        for other in shared or []:
            _checked(_lib.bpf_map__reuse_fd(self._map(other.name), other.fd), other.name)
        for name, data in (read_only or {}).items():
            size = c_size_t()
            constants = next(h for h in self._each(_lib.bpf_object__next_map)
                             if _lib.bpf_map__name(h).endswith(b".rodata"))
            ctypes.memmove(_lib.bpf_map__initial_value(constants, byref(size)) + Layout(path).variable(name), data, len(data))
        _checked(_lib.bpf_object__load(self.handle), f"{path} is refused (the verifier's words: bpftool -d)")
        self.maps = {m.name: m for m in map(Map, self._each(_lib.bpf_object__next_map))}
        self.programs = {p.name: p for p in map(Program, self._each(_lib.bpf_object__next_program))}

    def _map(self, name):
        return _checked(_lib.bpf_object__find_map_by_name(self.handle, name.encode()), name)

    def _each(self, following):
        handle = following(self.handle, None)
        while handle:
            yield handle
            handle = following(self.handle, handle)

    def close(self):
        _lib.bpf_object__close(self.handle)
        self.handle = None
