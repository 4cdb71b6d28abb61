# Computes the vectors in public.txt with OpenSSL 3, without any code of oidkit:
#
#	bash public.sh < public.txt > again.txt && diff public.txt again.txt
#
# A line of public.txt holds the form, the prefix ("-" if it is empty), the key in hex
# digits ("-" if there is none), the ID, and the text. The script computes the text.
set -euo pipefail

# digits prints 16 bytes of hex digits as 26 digits of base 32.
digits() {
	local alphabet=0123456789abcdefghjkmnpqrstvwxyz nibbles bits=00 text='' i
	nibbles=(0000 0001 0010 0011 0100 0101 0110 0111 1000 1001 1010 1011 1100 1101 1110 1111)
	for ((i = 0; i < 32; i++)); do bits+=${nibbles[16#${1:i:1}]}; done
	for ((i = 0; i < 130; i += 5)); do text+=${alphabet:2#${bits:i:5}:1}; done
	echo "$text"
}

# sealed prints the block of an ID, encrypted.
sealed() {
	local prefix=$1 key=$2 id=$3 derived
	derived=$(openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt "hexkey:$key" -kdfopt "info:oidkit public v1 $prefix" HKDF | tr -d ':\n')
	printf "$(sed 's/../\\x&/g' <<< "${id}00000000")" | openssl enc -aes-256-ecb -nopad -K "$derived" | od -An -v -tx1 | tr -d ' \n'
}

# uuid prints the UUIDv7 of an ID, as the documentation of sqltype.UUID lays out the bits.
uuid() {
	local id=$1
	printf '%012x7%s%016x' $((16#${id:0:8} * 1000)) "${id:8:3}" $((2 << 62 | 16#${id:11:13} << 10 | 16#31d))
}

while read -r form prefix key id _; do
	case $form in
	sealed) block=$(sealed "$prefix" "$key" "$id") ;;
	prefixed) block=$(uuid "$id") ;;
	esac
	start=${prefix#-}
	echo "$form $prefix $key $id ${start:+${start}_}$(digits "$block")"
done
