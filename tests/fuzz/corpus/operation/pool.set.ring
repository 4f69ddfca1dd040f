pool.set
{"name": "db", "scheme": "ring", "virtual_nodes": 20, "ring_hash": "md5", "ring_owner": "after"}