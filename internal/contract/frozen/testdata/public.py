# Computes the vectors in public.txt with Python's cryptography, without any code of oidkit:
#
#	python3 public.py < public.txt > again.txt && diff public.txt again.txt
#
# public.sh says what a line holds.
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def sealed(prefix, key, id):
    info = b"oidkit public v1 " + prefix.encode()
    derived = HKDF(SHA256(), 32, salt=None, info=info).derive(bytes.fromhex(key))
    return Cipher(algorithms.AES(derived), modes.ECB()).encryptor().update(bytes.fromhex(id) + bytes(4))


def uuid(id):
    seconds, rest = int(id[:8], 16), int(id[8:], 16)
    bits = seconds * 1000
    bits = bits << 4 | 7
    bits = bits << 12 | rest >> 52
    bits = bits << 2 | 0b10
    bits = bits << 52 | rest & (1 << 52) - 1
    bits = bits << 10 | 0x31D
    return bits.to_bytes(16, "big")


def digits(block):
    number = int.from_bytes(block, "big")
    return "".join(ALPHABET[number >> 5 * i & 31] for i in reversed(range(26)))


for line in sys.stdin:
    form, prefix, key, id, *_ = line.split()
    block = sealed(prefix, key, id) if form == "sealed" else uuid(id)
    start = "" if prefix == "-" else prefix + "_"
    print(form, prefix, key, id, start + digits(block))
