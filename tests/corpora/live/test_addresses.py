"""Which addresses are on the public web."""

from __future__ import annotations

import pytest

from webenv.corpora.live.guard import is_public

HIDDEN = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.255.255.254
168.63.129.16 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.9 192.0.2.1 192.88.99.1
192.168.1.1 198.18.0.1 198.51.100.7 203.0.113.5 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255
:: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe
64:ff9b:1::7f00:1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:c0a8:101:: 3fff::1
2600:1f18::5efe:10.0.0.1 2600:1f18::200:5efe:127.0.0.1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fd12:3456::1
fe80::1 fe80::1%2 fec0::1 ff02::1
"""
PUBLIC = """
1.1.1.1 8.8.8.8 93.184.215.14 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.169.0.1 198.17.0.1 223.255.255.254
::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1 2606:2800:21f:cb07:6820:80da:af6b:8b2c 2a00:1450:4001::1
"""


@pytest.mark.parametrize("address", HIDDEN.split())
def test_an_address_of_a_machine_or_network_of_its_own_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC.split())
def test_any_other_address_is_public_also_within_ipv6(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("text", ["", "localhost", "1.2.3", "0x7f000001", "2130706433", "1.2.3.4.5", "[::1]", "\ud800"])
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert not is_public(text)
