pool.slots.move
{"name": "kv", "slots": "0-99", "backend": "c", "owner": "a"}