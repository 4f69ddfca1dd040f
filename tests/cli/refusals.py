# SPDX-License-Identifier: Apache-2.0
"""What the command line and the daemon say to what they refuse: each command line with its exit status and its words.

{dir} is a directory with the files of FILES; {instance} and {run} are the instance and its runtime directory. The
daemon serves FILLED."""

CONFIGURATION = """\
version: 1
seed: "6f1c9a3e5b7d2048"
pools:
  - name: db
    table_size: 251
    backends:
      - {name: db1, address: 10.0.0.11}
services:
  - {listen: "tcp 203.0.113.10:5432", pool: db}
"""

FILLED = ["pool add db --table-size 251", "backend add db/db1 10.0.0.11", "backend add db/db2 10.0.0.12",
          "service add tcp 203.0.113.10:80 --pool db", "pool add kv --scheme slots --table-size 251",
          "backend add kv/a 10.0.1.1", "backend add kv/b 10.0.1.2", "service add tcp 203.0.113.10:6379 --pool kv"]

FILES = {
    "empty": b"",
    "blank": b"\n \n# nothing\n",
    "binary": bytes(range(256)),
    "latin1": b"version: 1\n# caf\xe9\n",
    "half": b'{"version": 1',
    "list": b"- a\n- b\n",
    "good": CONFIGURATION,
    "tab": CONFIGURATION.replace("    table_size", "\ttable_size"),
    "version": CONFIGURATION.replace("version: 1", "version: 2"),
    "unversioned": CONFIGURATION.replace("version: 1\n", ""),
    "grace": CONFIGURATION.replace("table_size: 251", "grace: 1500m"),
    "port": CONFIGURATION.replace(":5432", ":0"),
    "source": CONFIGURATION.replace("table_size: 251", "source: 10.64.0.1/16"),
    "name": CONFIGURATION.replace("name: db1", "name: db 1"),
    "nothing": CONFIGURATION.replace("table_size: 251", "table_size:"),
    "stranger": CONFIGURATION.replace("pool: db}", "pool: bd}"),
    "lines": CONFIGURATION.replace("name: db1", "name: 'd''b\n          1'"),
    "quotes": CONFIGURATION.replace("version: 1", 81 * "'" + "version: 1").replace("pool: db}", "pool: db}'"),
    "escape": CONFIGURATION.replace("name: db1", 'name: "db\\01"'),
    "counts": b"a 5\nb 3\n",
}

# A comment heads a part. A line that is indented is the answer to the line before it.
TABLE = """
# names
pool add ""
    [2] POOL: "" is empty: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool add a b
    [2] "b" is one word too many: as in `holdfast pool add db --table-size 65537`
pool add "a b"
    [2] POOL: "a b" has a space: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool add a/b
    [2] POOL: "a/b" has the character /: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool add -x
    [2] there is no option -x: options begin with --; -h and -f FILE are the only short ones
pool add _x --
    [2] POOL: "_x" begins with _: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool add é
    [2] POOL: "é" has a character that is not ASCII: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool add xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    [2] POOL: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is 64 characters long: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool remove dbx
    [1] there is no pool dbx: did you mean db?
pool show bd
    [1] there is no pool bd: did you mean db?
pool show zzzz
    [1] there is no pool zzzz: the name of a pool; `holdfast pool list` shows them
pool set zzzz --grace 5s
    [1] there is no pool zzzz: the name of a pool; `holdfast pool list` shows them
pool set db
    [2] pool set: nothing to change was given: at least one of the options in `holdfast pool set --help`
pool slots show bd
    [1] there is no pool bd: did you mean db?
backend add db 10.0.0.9
    [2] POOL/NAME: "db" has no /: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend add /x 10.0.0.9
    [2] POOL/NAME: "/x" has a pool that is empty: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend add db/ 10.0.0.9
    [2] POOL/NAME: "db/" has a backend that is empty: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend add "db/a b" 10.0.0.9
    [2] POOL/NAME: "db/a b" has a backend that has a space: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend add db/a/b 10.0.0.9
    [2] POOL/NAME: "db/a/b" has a backend that has the character /: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend add db/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx 10.0.0.9
    [2] POOL/NAME: "db/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" has a backend that is 64 characters long: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend add bd/x 10.0.0.9
    [1] there is no pool bd: did you mean db?
backend add db/db1 10.0.0.19
    [1] pool db: backend db1 is there already: another name, or `holdfast backend set db/db1` to change it
backend add db/x@10.0.0.1 10.0.0.9
    [1] pool db, backend x@10.0.0.1: name cannot be "x@10.0.0.1", which has the character @: 63 characters at most: letters, digits, '-', '_' and '.', the first a letter or digit
backend add db/x@nonsense 10.0.0.9
    [2] POOL/NAME: "db/x@nonsense" has an address that is a name, and names are not looked up: POOL/NAME, like db/db1, or POOL/NAME@ADDRESS; names have up to 63 letters, digits, '-', '_' and '.'
backend show db/db9
    [1] pool db: there is no backend db9: did you mean db1?
backend show bd/db1
    [1] there is no pool bd: did you mean db?
backend list bd
    [1] there is no pool bd: did you mean db?
backend drain db/dbx
    [1] pool db: there is no backend dbx: did you mean db1?
backend remove db/nope
    [1] pool db: there is no backend nope: the name of a backend; `holdfast backend list` shows them
backend set db/db1
    [2] backend set: nothing to change was given: at least one of the options in `holdfast backend set --help`
backend set db/db9 --weight 5
    [1] pool db: there is no backend db9: did you mean db1?
backend activate db/nope
    [1] pool db: there is no backend nope: the name of a backend; `holdfast backend list` shows them
backend disable nope/nope
    [1] there is no pool nope: the name of a pool; `holdfast pool list` shows them
backend health db/db1
    [2] STATE is missing: one of: up down auto
backend health db/db1 sick
    [2] STATE: "sick" is not one of the choices: one of: up down auto
backend health db/db1 DOWN
    [2] STATE: "DOWN" is not one of the choices: one of: up down auto (did you mean down?)

# numbers
backend set db/db1 --weight ""
    [2] --weight: "" is empty: a number from 0 to 65535
backend set db/db1 --weight -1
    [2] --weight: "-1" is below 0: a number from 0 to 65535
backend set db/db1 --weight 70000
    [2] --weight: "70000" is above 65535: a number from 0 to 65535
backend set db/db1 --weight 99999999999999999999999
    [2] --weight: "99999999999999999999999" is above 65535: a number from 0 to 65535
backend set db/db1 --weight 1e3
    [2] --weight: "1e3" is not a whole number: a number from 0 to 65535
backend set db/db1 --weight 1.5
    [2] --weight: "1.5" is not a whole number: a number from 0 to 65535
backend set db/db1 --weight 50%
    [2] --weight: "50%" is not a whole number: a number from 0 to 65535
backend set db/db1 --weight " 5"
    [2] --weight: " 5" is not a whole number: a number from 0 to 65535
backend set db/db1 --weight 5x
    [2] --weight: "5x" is not a whole number: a number from 0 to 65535
pool set db --table-size 65536
    [1] pool db: table size 65536 is not prime: a prime, such as 65521 or 65537
pool set db --table-size 250
    [2] --table-size: "250" is below 251: a number from 251 to 1048573
pool set db --table-size 9999999
    [2] --table-size: "9999999" is above 1048573: a number from 251 to 1048573
pool set db --virtual-nodes 0
    [2] --virtual-nodes: "0" is below 1: a number from 1 to 65536
pool set db --virtual-nodes 70000
    [2] --virtual-nodes: "70000" is above 65536: a number from 1 to 65536
pool set db --gue-port 0
    [2] --gue-port: "0" is below 1: a number from 1 to 65535
pool set db --gue-port 65536
    [2] --gue-port: "65536" is above 65535: a number from 1 to 65535
pool set db --tolerance 101
    [2] --tolerance: "101" is above 100: percent from 0 to 100, with one digit behind the point at most
pool set db --tolerance 5%
    [2] --tolerance: "5%" has a % sign: percent from 0 to 100, with one digit behind the point at most
pool set db --tolerance 0.55
    [2] --tolerance: "0.55" has more than one digit behind the point: percent from 0 to 100, with one digit behind the point at most
pool set db --tolerance abc
    [2] --tolerance: "abc" is not a number: percent from 0 to 100, with one digit behind the point at most
pool set db --tolerance -1
    [2] --tolerance: "-1" is not a number: percent from 0 to 100, with one digit behind the point at most
pool set db --tolerance ""
    [2] --tolerance: "" is empty: percent from 0 to 100, with one digit behind the point at most
events --limit 0
    [2] --limit: "0" is below 1: a whole number from 1
events --limit many
    [2] --limit: "many" is not a whole number: a whole number from 1
events --limit 99999999999
    [2] --limit: "99999999999" is above 4294967295: a whole number from 1
generations show 0
    [2] GENERATION: "0" is below 1: a whole number from 1
generations show abc
    [2] GENERATION: "abc" is not a whole number: a whole number from 1
generations show 999
    [1] there is no generation 999: holdfast generations list shows those that are kept
generations diff 1 999
    [1] there is no generation 999: holdfast generations list shows those that are kept
rollback 999
    [1] there is no generation 999: holdfast generations list shows those that are kept
rollback 0
    [2] GENERATION: "0" is below 1: a whole number from 1

# ports
service add tcp 203.0.113.10:0 --pool db
    [2] VIP:PORT: "203.0.113.10:0" has port 0: ports from 1 to 65535; `any` means all of them
service add tcp 203.0.113.10:65536 --pool db
    [2] VIP:PORT: "203.0.113.10:65536" has port 65536: ports from 1 to 65535; `any` means all of them
service add tcp 203.0.113.10:90-80 --pool db
    [2] VIP:PORT: "203.0.113.10:90-80" has a range that ends before it begins: ports 80-90
service add tcp 203.0.113.10:80-65536 --pool db
    [2] VIP:PORT: "203.0.113.10:80-65536" has port 65536: ports from 1 to 65535; `any` means all of them
service add tcp 203.0.113.10:0-80 --pool db
    [2] VIP:PORT: "203.0.113.10:0-80" has port 0: ports from 1 to 65535; `any` means all of them
service add tcp 203.0.113.10: --pool db
    [2] VIP:PORT: "203.0.113.10:" has no port behind the last colon: a port from 1 to 65535, a range LOW-HIGH, or any
service add tcp 203.0.113.10:http --pool db
    [2] VIP:PORT: "203.0.113.10:http" has no port behind the last colon: a port from 1 to 65535, a range LOW-HIGH, or any
service add tcp 203.0.113.10:80,81 --pool db
    [2] VIP:PORT: "203.0.113.10:80,81" has no port behind the last colon: a port from 1 to 65535, a range LOW-HIGH, or any
service add tcp 203.0.113.10:-1 --pool db
    [2] VIP:PORT: "203.0.113.10:-1" has no port behind the last colon: a port from 1 to 65535, a range LOW-HIGH, or any
service add tcp 203.0.113.10:80- --pool db
    [2] VIP:PORT: "203.0.113.10:80-" has no port behind the last colon: a port from 1 to 65535, a range LOW-HIGH, or any
service add tcp 203.0.113.10 --pool db
    [2] VIP:PORT: "203.0.113.10" is an address without a port: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp :80 --pool db
    [2] VIP:PORT: ":80" has no address: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp 2001:db8::1:80 --pool db
    [2] VIP:PORT: "2001:db8::1:80" is an address without a port: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp 2001:db8::1 --pool db
    [2] VIP:PORT: "2001:db8::1" is an address without a port: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp [2001:db8::1] --pool db
    [2] VIP:PORT: "[2001:db8::1]" is an address without a port: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp [2001:db8::1]:0 --pool db
    [2] VIP:PORT: "[2001:db8::1]:0" has port 0: ports from 1 to 65535; `any` means all of them
service add tcp [::ffff:203.0.113.10]:80 --pool db
    [2] VIP:PORT: "[::ffff:203.0.113.10]:80" has an address that is an IPv4 address in IPv6 form: 203.0.113.10:80
service add tcp www.example.com:80 --pool db
    [2] VIP:PORT: "www.example.com:80" has an address that is a name, and names are not looked up: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp 300.0.0.1:80 --pool db
    [2] VIP:PORT: "300.0.0.1:80" has an address that is not an IPv4 or IPv6 address: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp 203.0.113.010:80 --pool db
    [2] VIP:PORT: "203.0.113.010:80" has an address that has a number that begins with 0: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp "203.0.113.10 :80" --pool db
    [2] VIP:PORT: "203.0.113.10 :80" has an address that is not an IPv4 or IPv6 address: VIP:PORT, VIP:LOW-HIGH or VIP:any, IPv6 in brackets, like [2001:db8::1]:80
service add tcp 224.0.0.1:80 --pool db
    [1] service tcp 224.0.0.1:80: a service cannot listen on this address: a unicast address that clients can reach
service add tcp 0.0.0.0:80 --pool db
    [1] service tcp 0.0.0.0:80: a service cannot listen on this address: a unicast address that clients can reach
service add TCP 203.0.113.10:81 --pool db
    [2] PROTO: "TCP" is neither tcp nor udp: tcp or udp
service add sctp 203.0.113.10:81 --pool db
    [2] PROTO: "sctp" is neither tcp nor udp: tcp or udp
service add tcp 203.0.113.10:81
    [2] --pool is missing: the pool that serves it: 63 characters at most: letters, digits, '-', '_' and '.', the first a letter or digit
service add tcp 203.0.113.10:81 --pool bd
    [1] service tcp 203.0.113.10:81: there is no pool bd: did you mean db?
service add tcp 203.0.113.10:80 --pool db
    [1] service tcp 203.0.113.10:80 is there already: another address or port, or `holdfast service set` to change it
service add tcp 203.0.113.10:79-81 --pool db
    [1] service tcp 203.0.113.10:80: the ports of tcp 203.0.113.10:79-81 and 203.0.113.10:80 overlap: ports that belong to one service
service add tcp 203.0.113.10:81 --pool db --track sometimes
    [2] --track: "sometimes" is not one of the choices: one of: auto always never
service set tcp 203.0.113.10:9999 --idle 5m
    [1] there is no service tcp 203.0.113.10:9999: a service with just these ports; `holdfast service list` shows them
service set tcp 203.0.113.10:80
    [2] service set: nothing to change was given: at least one of the options in `holdfast service set --help`
service remove udp 203.0.113.10:80
    [1] there is no service udp 203.0.113.10:80: a service with just these ports; `holdfast service list` shows them
service show tcp 203.0.113.10:81
    [1] there is no service tcp 203.0.113.10:81: a service with just these ports; `holdfast service list` shows them
service show tcp 203.0.113.10:0
    [2] VIP:PORT: "203.0.113.10:0" has port 0: ports from 1 to 65535; `any` means all of them
why tcp 198.51.100.7:0 203.0.113.10:80
    [2] SRC: "198.51.100.7:0" has port 0: ports from 1 to 65535; `any` means all of them
why tcp 198.51.100.7:65536 203.0.113.10:80
    [2] SRC: "198.51.100.7:65536" has port 65536: ports from 1 to 65535; `any` means all of them
why tcp 198.51.100.7:5-9 203.0.113.10:80
    [2] SRC: "198.51.100.7:5-9" has more than one port: ADDRESS:PORT, IPv6 in brackets, like 198.51.100.7:40000
why tcp 198.51.100.7:any 203.0.113.10:80
    [2] SRC: "198.51.100.7:any" has more than one port: ADDRESS:PORT, IPv6 in brackets, like 198.51.100.7:40000
why tcp 198.51.100.7 203.0.113.10:80
    [2] SRC: "198.51.100.7" is an address without a port: ADDRESS:PORT, IPv6 in brackets, like 198.51.100.7:40000
why tcp [2001:db8::7]:5 203.0.113.10:80
    [2] [2001:db8::7]:5 and 203.0.113.10:80 are of different families: two IPv4 or two IPv6 addresses: as the client's packet bears them
why icmp 198.51.100.7:5 203.0.113.10:80
    [2] PROTO: "icmp" is neither tcp nor udp: tcp or udp
why tcp 198.51.100.7:5 203.0.113.10:80 --interface nope0
    [1] there is no interface nope0 in this network namespace: one of lo, eth0
why tcp 198.51.100.7:5
    [2] DST is missing: ADDRESS:PORT, IPv6 in brackets, like 198.51.100.7:40000

# addresses and prefixes
backend add db/x 10.0.0.999
    [2] ADDRESS: "10.0.0.999" is not an IPv4 or IPv6 address: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 10.0.0
    [2] ADDRESS: "10.0.0" is not an IPv4 or IPv6 address: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 10.0.0.9/24
    [2] ADDRESS: "10.0.0.9/24" has the character /: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 10.0.0.0/24
    [2] ADDRESS: "10.0.0.0/24" is a prefix: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 10.0.0.9:80
    [2] ADDRESS: "10.0.0.9:80" has a port: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x host.example.com
    [2] ADDRESS: "host.example.com" is a name, and names are not looked up: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x ::ffff:10.0.0.9
    [2] ADDRESS: "::ffff:10.0.0.9" is an IPv4 address in IPv6 form: 10.0.0.9
backend add db/x fe80::1%eth0
    [2] ADDRESS: "fe80::1%eth0" has a zone, which is of one host alone: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 127.0.0.1
    [2] ADDRESS: "127.0.0.1" is a loopback address: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 224.0.0.1
    [2] ADDRESS: "224.0.0.1" is a multicast address: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 0.0.0.0
    [2] ADDRESS: "0.0.0.0" is not the address of a host: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x ""
    [2] ADDRESS: "" is empty: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend set db/db1 --address 10.0.0.256
    [2] --address: "10.0.0.256" is not an IPv4 or IPv6 address: the address of one host, such as 10.0.0.11 or 2001:db8::11
pool set db --source 10.64.0.1/16
    [2] --source: "10.64.0.1/16" has host bits: 10.64.0.0/16, or 10.64.0.1 for that address alone
pool set db --source 10.64.0.0/33
    [2] --source: "10.64.0.0/33" has a prefix length above 32: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 10.64.0.0/x
    [2] --source: "10.64.0.0/x" has a prefix length that is not a number: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 10.64.0.0/
    [2] --source: "10.64.0.0/" has no prefix length behind the /: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 10.64.0.0/16,10.65.0.0/16
    [2] --source: "10.64.0.0/16,10.65.0.0/16" has two prefixes of IPv4: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 10.64.0.0/16,
    [2] --source: "10.64.0.0/16," has nothing before or behind a comma: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source "10.64.0.0/16 10.65.0.0/16"
    [2] --source: "10.64.0.0/16 10.65.0.0/16" has a prefix length that is not a number: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 2001:db8::1/64
    [2] --source: "2001:db8::1/64" has host bits: 2001:db8::/64, or 2001:db8::1 for that address alone
pool set db --source 2001:db8::/64
    [1] pool db: source has no IPv4 address, but backend db1 is reached by IPv4: a prefix of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source eth0
    [2] --source: "eth0" is a name, and names are not looked up: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 224.0.0.0/4
    [2] --source: "224.0.0.0/4" is a multicast address: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
pool set db --source 10.64.0.0-10.64.0.9
    [2] --source: "10.64.0.0-10.64.0.9" is not an IPv4 or IPv6 address: a prefix such as 192.0.2.0/24, or one of each family: 192.0.2.0/24,2001:db8::/64
receiver attach eth0 --from 10.0.0.1/8
    [2] --from: "10.0.0.1/8" has host bits: 10.0.0.0/8, or 10.0.0.1 for that address alone
receiver attach eth0 --from 10.0.0.0/40
    [2] --from: "10.0.0.0/40" has a prefix length above 32: a prefix without host bits, like 10.0.0.0/8, or an address
receiver attach eth0 --from nonsense
    [2] --from: "nonsense" is a name, and names are not looked up: a prefix without host bits, like 10.0.0.0/8, or an address
receiver attach eth0 --from ""
    [2] --from: "" is empty: a prefix without host bits, like 10.0.0.0/8, or an address
receiver attach eth0 --from 10.0.0.0/8 --vip 203.0.113.10/32
    [2] --vip: "203.0.113.10/32" is a prefix: an IPv4 or IPv6 address, like 10.0.0.11 or 2001:db8::11
receiver attach eth0 --from 10.0.0.0/8 --vip 203.0.113.999
    [2] --vip: "203.0.113.999" is not an IPv4 or IPv6 address: an IPv4 or IPv6 address, like 10.0.0.11 or 2001:db8::11
receiver attach eth0 --from 10.0.0.0/8 --gue-port 70000
    [2] --gue-port: "70000" is above 65535: a number from 1 to 65535
receiver attach eth0 --from 10.0.0.0/8 --netns nope
    [1] network namespace nope cannot be found: No such file or directory: a name that `ip netns` lists, or a path such as /proc/PID/ns/net
receiver attach eth0
    [2] --from is missing: balancers whose packets are taken: a prefix without host bits, like 10.0.0.0/8, or an address

# interfaces
interface attach nope0
    [1] there is no interface nope0 in this network namespace: one of lo, eth0
interface attach etj0
    [1] there is no interface etj0 in this network namespace: one of lo, eth0 (did you mean eth0?)
interface detach nope0
    [1] interface nope0 is not attached: an attached interface; `holdfast interface list` shows them
interface attach eth0/1
    [2] IF: "eth0/1" has the character /: a network device's name, at most 15 bytes, like eth0
interface attach "eth 0"
    [2] IF: "eth 0" has a space: a network device's name, at most 15 bytes, like eth0
interface attach eth0@if3
    [1] name cannot be "eth0@if3", which has the character @: 15 characters at most: letters, digits, '-', '_' and '.', the first a letter or digit
interface attach a-very-long-interface
    [2] IF: "a-very-long-interface" is 21 characters long: a network device's name, at most 15 bytes, like eth0
interface attach ""
    [2] IF: "" is empty: a network device's name, at most 15 bytes, like eth0
interface attach eth0 --mode fast
    [2] --mode: "fast" is not one of the choices: one of: auto native generic
interface attach eth0 --mode NATIVE
    [2] --mode: "NATIVE" is not one of the choices: one of: auto native generic (did you mean native?)
interface attach eth0 --mode generic --share
    [1] interface eth0: share does not go with mode generic: mode native or auto, or no share
interface detach
    [2] IF is missing: an interface, or --all for every one
interface detach eth0 --all
    [2] an interface and --all were given: an interface, or --all for every one
receiver attach nope0 --from 10.0.0.0/8
    [1] there is no interface nope0 in this network namespace: one of lo, eth0
receiver detach nope0
    [1] no receiver is attached to nope0
receiver detach eth0
    [1] no receiver is attached to eth0
receiver check eth0/1
    [2] IF: "eth0/1" has the character /: a network device's name, at most 15 bytes, like eth0

# times
pool set db --grace 90d
    [2] --grace: "90d" is more than 1d: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 1500m
    [2] --grace: "1500m" is more than 1d: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 5x
    [2] --grace: "5x" has the unit x: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 500ms
    [2] --grace: "500ms" has the unit ms: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 5M
    [2] --grace: "5M" has the unit M: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 1m1h
    [2] --grace: "1m1h" has its units in the wrong order: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 5m5m
    [2] --grace: "5m5m" has the unit m twice: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 1h30
    [2] --grace: "1h30" ends without a unit: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 1.5h
    [2] --grace: "1.5h" has the character .: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace -5s
    [2] --grace: "-5s" is negative: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace "5 m"
    [2] --grace: "5 m" has a space: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace ""
    [2] --grace: "" is empty: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace 99999999999d
    [2] --grace: "99999999999d" is too long a time: a time from 0s to 1d, such as 30s or 1h30m
pool set db --grace h
    [2] --grace: "h" has no number before h: a time from 0s to 1d, such as 30s or 1h30m
pool set db --udp-grace 2d
    [2] --udp-grace: "2d" is more than 1d: a time from 0s to 1d, such as 30s or 1h30m
service set tcp 203.0.113.10:80 --idle 31d
    [2] --idle: "31d" is more than 30d: a time from 1s to 30d, such as 30s or 1h30m
service set tcp 203.0.113.10:80 --idle 800h
    [2] --idle: "800h" is more than 30d: a time from 1s to 30d, such as 30s or 1h30m
service set tcp 203.0.113.10:80 --idle soon
    [2] --idle: "soon" has no number before soon: a time from 1s to 30d, such as 30s or 1h30m
backend drain db/db1 --deadline 0
    [1] pool db, backend db1: deadline "0" is out of range: a time from 1s to 30d, such as 30s or 1h30m
backend drain db/db1 --deadline 0s
    [1] pool db, backend db1: deadline "0s" is out of range: a time from 1s to 30d, such as 30s or 1h30m
backend drain db/db1 --deadline 31d
    [1] pool db, backend db1: deadline "31d" is out of range: a time from 1s to 30d, such as 30s or 1h30m
backend drain db/db1 --deadline 5000000
    [2] --deadline: "5000000" has no unit: a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d
backend drain db/db1 --deadline 90mins
    [2] --deadline: "90mins" has the unit mins: a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d
backend drain db/db1 --wait --quiet 5x
    [2] --quiet: "5x" has the unit x: a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d
backend drain db/db1 --wait --timeout -1
    [2] --timeout: "-1" is negative: a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d
backend drain db/db1 --quiet 5m
    [2] --quiet and --timeout say how to wait: add --wait
backend drain db/db1 --timeout 5m
    [2] --quiet and --timeout say how to wait: add --wait
counters --interval 5x
    [2] --interval: "5x" has the unit x: a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d
counters --interval 100ms
    [2] --interval: "100ms" has the unit ms: a time in days, hours, minutes and seconds, like 30s, 5m, 1h30m or 2d

# choices
pool add x --scheme magleV
    [2] --scheme: "magleV" is not one of the choices: one of: maglev stable rendezvous ring ketama jump modulo slots (did you mean maglev?)
pool add x --scheme nonsense
    [2] --scheme: "nonsense" is not one of the choices: one of: maglev stable rendezvous ring ketama jump modulo slots
pool add x --encap gee
    [2] --encap: "gee" is not one of the choices: one of: ipip gue gre l2 (did you mean gue?)
pool add x --hash 5-tuple
    [2] --hash: "5-tuple" is not one of the choices: one of: 5tuple source (did you mean 5tuple?)
pool add x --ring-hash sha1
    [2] --ring-hash: "sha1" is not one of the choices: one of: xxhash md5 md5-64
pool add x --ring-owner before
    [2] --ring-owner: "before" is not one of the choices: one of: at after
pool add x --ketama twemproxy
    [2] --ketama: "twemproxy" is not one of the choices: one of: libmemcached nginx
pool add x --scheme ring --ketama nginx
    [1] pool x: scheme ring has no ketama: scheme ketama, or no ketama
pool add x --virtual-nodes 50
    [1] pool x: scheme maglev has no virtual_nodes: scheme ring, or no virtual_nodes
pool add x --seed abc
    [2] --seed: "abc" is 3 characters long: 16 hexadecimal digits, not all 0, as `holdfast seed` prints
pool add x --seed 0000000000000000
    [2] --seed: "0000000000000000" has no digit but 0: 16 hexadecimal digits, not all 0, as `holdfast seed` prints
pool add x --seed xyz1c9a3e5b7d204
    [2] --seed: "xyz1c9a3e5b7d204" has the character x: 16 hexadecimal digits, not all 0, as `holdfast seed` prints
pool add x --seed 6f1c9a3e5b7d20488
    [2] --seed: "6f1c9a3e5b7d20488" is 17 characters long: 16 hexadecimal digits, not all 0, as `holdfast seed` prints
pool add x --ranges nonsense
    [2] --ranges: "nonsense" has no = in nonsense: every slot's owner, such as db1=0-8191,db2=8192-16383, or even
pool add db
    [1] pool db is there already: another name, or `holdfast pool set db` to change it
pool set db --encap l2 --source 10.64.0.0/16
    [1] pool db: encap l2 has no outer source address: no source, or encap ipip, gue or gre

# slots
pool slots move kv 9-5 a
    [2] RANGE: "9-5" ends before it begins: 5-9
pool slots move kv 0-251 a
    [1] pool kv: slots cannot be "0-251", which goes beyond slot 250: a slot or a range of slots from 0 to 250, such as 17 or 0-99
pool slots move kv 5 nope
    [1] pool kv: there is no backend nope: the name of a backend; `holdfast backend list` shows them
pool slots move kv x a
    [2] RANGE: "x" is not a slot or a range of slots: a slot or a range of slots, like 17 or 0-99
pool slots move kv 1,5 a
    [2] RANGE: "1,5" is not a slot or a range of slots: a slot or a range of slots, like 17 or 0-99
pool slots move kv -5 a
    [2] there is no option -5: options begin with --; -h and -f FILE are the only short ones
pool slots move kv 5- a
    [2] RANGE: "5-" is not a slot or a range of slots: a slot or a range of slots, like 17 or 0-99
pool slots move kv 9999999 a
    [2] RANGE: "9999999" goes beyond slot 1048572: a slot or a range of slots, like 17 or 0-99
pool slots move db 5 db1
    [1] pool db: scheme maglev places slots itself: a pool with scheme slots
pool slots move kv 5
    [2] BACKEND is missing: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
pool set kv --ranges a=0-100
    [1] pool kv: slots 101-250 have no owner: a backend for each of slots 0 to 250, or even
pool set kv --ranges a=0-100,b=100-250
    [2] --ranges: "a=0-100,b=100-250" gives a slot to two owners: every slot's owner, such as db1=0-8191,db2=8192-16383, or even
pool set kv --ranges a=0-100,zz=101-250
    [1] pool kv: slots 101-250 are given to zz, which is not a backend of the pool: every slot of the table given to a backend of the pool that has weight
pool set kv --ranges a=0-300
    [1] pool kv: slot 300 is not in a table of 251: slots 0 to 250
pool set kv --ranges a
    [2] --ranges: "a" has no = in a: every slot's owner, such as db1=0-8191,db2=8192-16383, or even
pool set kv --ranges a=x
    [2] --ranges: "a=x" has slots x, which is not a slot or a range of slots: every slot's owner, such as db1=0-8191,db2=8192-16383, or even
pool set kv --ranges ""
    [2] --ranges: "" is empty: every slot's owner, such as db1=0-8191,db2=8192-16383, or even
pool remove db
    [1] pool db: service tcp 203.0.113.10:80 uses it: its services removed, or set to another pool, first

# usage
pol list
    [2] there is no noun "pol": did you mean pool?
pool lst
    [2] pool has no verb "lst": did you mean list?
xyzzy
    [2] there is no noun "xyzzy": `holdfast help` lists them
s
    [2] there is no noun "s": `holdfast help` lists them
backend add db/x
    [2] ADDRESS is missing: the address of one host, such as 10.0.0.11 or 2001:db8::11
backend add db/x 10.0.0.9 more
    [2] "more" is one word too many: as in `holdfast backend add db/db2 10.0.0.12 --weight 200`
backend add db/x 10.0.0.9 --wieght 5
    [2] there is no option --wieght: did you mean --weight?
backend add db/x 10.0.0.9 --weight
    [2] --weight has no value: a number from 0 to 65535
backend add db/x 10.0.0.9 --table-size 251
    [2] `backend add` has no option --table-size: `holdfast backend add --help` shows those it has
backend add db/x 10.0.0.9 -w 5
    [2] there is no option -w: options begin with --; -h and -f FILE are the only short ones
backend add db/x 10.0.0.9 --now=yes
    [2] --now takes no value: --now alone, or nothing
backend remove db/db1 --now=yes
    [2] --now takes no value: --now alone, or nothing
backend add db/x 10.0.0.9 --xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
    [2] there is no option --...: `holdfast NOUN VERB --help` shows a command's options
status --dry-run
    [2] --dry-run means nothing to `status`: it is for commands that change something
status --force
    [2] --force means nothing to `status`: it is for commands that change something
pool list --offline
    [2] --offline means nothing to `pool list`: --offline is for status, counters, why, `backend list` and `interface detach --all`
status more
    [2] "more" is one word too many: as in `holdfast status --check`
status --instance ../x
    [2] --instance: "../x" has the character /: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
status --instance ""
    [2] --instance: "" is empty: up to 63 letters, digits, '-', '_' and '.', the first a letter or digit
status --instance nope
    [4] {run}/nope.sock: the daemon of instance nope cannot be reached: No such file or directory: name a running instance with --instance ({instance}), or start holdfastd
status --runtime-dir ""
    [2] --runtime-dir: "" is empty: DIR, where the daemon's socket is; default: /run/holdfast
status --runtime-dir /nonexistent
    [4] /nonexistent/{instance}.sock: the daemon of instance {instance} cannot be reached: No such file or directory: start holdfastd (systemctl start holdfastd), or add --offline
manual holdfast
    [2] PAGE: "holdfast" is not one of the choices: one of: holdfast.8 holdfastd.8 holdfast.yaml.5 (did you mean holdfast.8?)
manual
    [2] PAGE is missing: one of: holdfast.8 holdfastd.8 holdfast.yaml.5
help nope
    [2] there is no noun "nope": `holdfast help` lists them
help backend nope
    [2] backend has no verb "nope": add, set, show, list, drain, activate, disable, remove, health
seed 5
    [2] "5" is one word too many: as in `holdfast seed`
upgrade now
    [2] "now" is one word too many: as in `holdfast upgrade`
export --statte
    [2] there is no option --statte: did you mean --state?

# files
apply
    [2] --file is missing: the configuration, - for standard input; also -f: a file's name, or - for standard input
apply -f
    [2] --file has no value: FILE, the configuration, - for standard input; also -f
apply -f ""
    [2] --file: "" is empty: FILE, the configuration, - for standard input; also -f
apply -f /nonexistent.yaml
    [1] /nonexistent.yaml: there is no such file: the path of a configuration file
apply -f /tmp
    [1] /tmp: this is a directory: a configuration file, such as holdfast.yaml, in it
apply -f /etc/passwd/x
    [1] /etc/passwd/x: a part of this path is a file, not a directory: the path of a configuration file
apply -f /dev/null
    [1] /dev/null: the configuration is empty: at least `version: 1` and a seed, as `holdfast seed` makes it
apply -f /dev/zero
    [1] /dev/zero: it is larger than 16 MiB: a file of 16 MiB at most
apply -f {dir}/empty
    [1] {dir}/empty: the configuration is empty: at least `version: 1` and a seed, as `holdfast seed` makes it
apply -f {dir}/blank
    [1] {dir}/blank: the configuration is empty: at least `version: 1` and a seed, as `holdfast seed` makes it
apply -f {dir}/huge
    [1] {dir}/huge: it is larger than 16 MiB: a file of 16 MiB at most
apply -f {dir}/binary
    [1] {dir}/binary: line 1, column 1: byte 0x00 is not text: a text file in UTF-8
apply -f {dir}/latin1
    [1] {dir}/latin1: line 2, column 6: byte 0xe9 is not UTF-8: a text file in UTF-8
apply -f {dir}/half
    [1] {dir}/half: line 2, column 1: this is not YAML: missing comma in flow mapping
apply -f {dir}/socket
    [1] {dir}/socket: this is a socket or a device that gives nothing to read: a text file
apply -f {dir}/loop
    [1] {dir}/loop: its symbolic links lead in a circle: the path of the file itself
apply -f {dir}/tab
    [1] {dir}/tab: line 5, column 2: this is not YAML: invalid tab used as indentation
apply -f {dir}/list
    [1] {dir}/list: line 1, column 3: configuration is not a mapping: keys and values, such as {version: ...}
apply -f {dir}/version
    [1] {dir}/version: line 1, column 1: version: version 2 is out of range: 1
apply -f {dir}/unversioned
    [1] {dir}/unversioned: line 1, column 1: version is missing: version: 1
apply -f {dir}/grace
    [1] {dir}/grace: line 5, column 5: pools[0].grace: grace "1500m" is out of range: a time from 0s to 1d, such as 30s or 1h30m
apply -f {dir}/port
    [1] {dir}/port: line 9, column 6: services[0].listen: listen cannot be "tcp 203.0.113.10:0", which has port 0: ports from 1 to 65535; `any` means all of them
apply -f {dir}/source
    [1] {dir}/source: line 5, column 5: pools[0].source: source cannot be "10.64.0.1/16", which has host bits: 10.64.0.0/16, or 10.64.0.1 for that address alone
apply -f {dir}/name
    [1] {dir}/name: line 7, column 10: pools[0].backends[0].name: name cannot be "db 1", which has a space: 63 characters at most: letters, digits, '-', '_' and '.', the first a letter or digit
apply -f {dir}/nothing
    [1] {dir}/nothing: line 5, column 5: pools[0].table_size: table_size cannot be "", which is empty: a number from 251 to 1048573
apply -f {dir}/stranger
    [1] {dir}/stranger: line 9, column 39: services[0].pool: there is no pool bd: did you mean db?
apply -f {dir}/lines
    [1] {dir}/lines: line 7, column 17: texts over several lines are not read: the value in one line, without | or >
apply -f {dir}/quotes
    [1] {dir}/quotes: line 1, column 2: texts over several lines are not read: the value in one line, without | or >
apply -f {dir}/escape
    [1] {dir}/escape: line 7, column 17: a value has an escape that writes no character: the characters themselves, without \\
apply {dir}/good
    [2] "{dir}/good" is one word too many: -f {dir}/good
plan {dir}/good
    [2] "{dir}/good" is one word too many: -f {dir}/good
plan -f /tmp
    [1] /tmp: this is a directory: a configuration file, such as holdfast.yaml, in it
check /tmp
    [2] "/tmp" is one word too many: -f /tmp
check -f /tmp
    [1] /tmp: this is a directory: a configuration file, such as holdfast.yaml, in it
check -f /nonexistent.yaml
    [1] /nonexistent.yaml: there is no such file: the path of a configuration file
check /etc/holdfast.yaml
    [2] "/etc/holdfast.yaml" is one word too many: -f /etc/holdfast.yaml
check nope0
    [2] "nope0" is one word too many: as in `holdfast check --file /etc/holdfast/holdfast.yaml`
export -f x
    [2] `export` has no option --file: `holdfast export --help` shows those it has
placement hot /nonexistent
    [2] there are no members: --members a,b*2,c@east,cache-0..9, or --pool POOL, or --file FILE
placement hot /tmp
    [2] there are no members: --members a,b*2,c@east,cache-0..9, or --pool POOL, or --file FILE
placement hot /dev/null --members a,b
    [1] there are no counts: lines of KEY COUNT, or of COUNT KEY as from uniq -c
placement hot {dir}/binary --members a,b
    [1] there are no counts: lines of KEY COUNT, or of COUNT KEY as from uniq -c
placement lookup k --members a,b --file /tmp --pool db
    [1] /tmp: this is a directory: a configuration file, such as holdfast.yaml, in it
placement lookup k --pool db --file /tmp
    [1] /tmp: this is a directory: a configuration file, such as holdfast.yaml, in it
placement lookup k --pool nope --file {dir}/good
    [1] {dir}/good: there is no pool nope: a pool of this file
placement draw --members a,b --output /nonexistent/x.svg
    [1] /nonexistent/x.svg: No such file or directory
placement draw --members a,b --output /tmp
    [1] /tmp: Is a directory

# placement
placement compare
    [2] there are no members: --members a,b*2,c@east,cache-0..9, or --pool POOL, or --file FILE
placement compare --members ""
    [2] --members: "" is empty: LIST, members: a,b*2,c=250,d@east,cache-0..9
placement compare --members a,,b
    [2] "" is not a member: members like a, b*2, c=250, d@east, cache-0..9; changes like +d, -b, b*2
placement compare --members a,a
    [1] member a: member a is listed twice: each name once
placement compare --members a*x,b
    [2] "a*x" is not a member: members like a, b*2, c=250, d@east, cache-0..9; changes like +d, -b, b*2
placement compare --members a,b +a
    [1] member a: member a is listed twice: each name once
placement compare --members a,b -c
    [2] there is no member c: +c would add it
placement compare --members a,b c*2
    [2] there is no member c: +c would add it
placement compare --members cache-9..0
    [2] "cache-9..0" is not a member: members like a, b*2, c=250, d@east, cache-0..9; changes like +d, -b, b*2
placement compare --members a,b --schemes magelv
    [2] --schemes: there is no scheme "magelv": maglev, stable, rendezvous, ring, ketama, jump, modulo, slots
placement compare --members a,b --schemes ""
    [2] --schemes: "" is empty: LIST, these schemes, with commas between; default: all
placement compare --members a,b --keys 0
    [2] --keys: "0" is below 1: a whole number from 1
placement compare --members a,b --keys 99999999999
    [2] --keys: "99999999999" is above 4294967295: a whole number from 1
placement compare --members a,b --load-factor x
    [2] --load-factor: "x" is not a number: a number from 1, like 1.25
placement compare --members a,b --load-factor 0.5
    [2] --load-factor: "0.5" is too small: a number from 1, like 1.25
placement compare --members a,b --replicas 0
    [2] --replicas: "0" is below 1: a whole number from 1
placement compare --members a,b --tolerance x
    [2] --tolerance: "x" is not a number: percent from 0 to 100, with one digit behind the point at most
placement compare --members a,b --table-size 100
    [2] --table-size: "100" is below 251: a number from 251 to 1048573
placement compare --members a,b --first-key -1
    [2] --first-key: "-1" is below 1: a whole number from 1
placement compare --members a,b --ranges a
    [2] --ranges: "a" has no = in a: every slot's owner, such as db1=0-8191,db2=8192-16383, or even
placement compare --members a,b --positions a
    [2] --positions: "a" is not understood: North=10,East=45,West=80
placement compare --members a,b --positions a=1 --schemes ring
    [1] positions: member b has no token: MEMBER=POSITION for every member with weight
placement compare --members a,b --hash sha1
    [2] --hash: "sha1" is not one of the choices: one of: xxhash md5 md5-64 identity
placement compare --members a,b --change nonsense
    [2] "nonsense" is not a change: members like a, b*2, c=250, d@east, cache-0..9; changes like +d, -b, b*2
placement replay --members a,b --steps 100
    [2] a change is missing: what to replay, like +d, -b or b*2
placement replay --members a,b --skew x
    [2] --skew: "x" is not a number: a number from 0, like 0.25
placement replay --members a,b --cache 0
    [2] --cache: "0" is below 1: a whole number from 1
placement draw --members a,b --colours pink
    [2] --colours: "pink" is not one of the choices: one of: auto light dark
placement lookup k
    [2] there are no members: --members a,b*2,c@east,cache-0..9, or --pool POOL, or --file FILE
placement lookup --members a,b
    [2] KEY is missing: as in `holdfast placement lookup user:1 user:2 --members a@east,b@east,c@west`
placement lookup k --members a,b --scheme nope
    [2] --scheme: "nope" is not one of the choices: one of: maglev stable rendezvous ring ketama jump modulo slots
placement hot {dir}/counts --members a,b --shards 0
    [2] --shards: "0" is below 1: a whole number from 1
placement hot {dir}/counts --members a,b --load-factor 0
    [2] --load-factor: "0" is too small: a number from 1, like 1.25
"""
