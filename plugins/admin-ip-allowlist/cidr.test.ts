import { describe, expect, it } from 'vitest';
import { readNetwork } from './cidr.ts';

describe('a network', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['203.0.113.77/24', '203.0.113.0/24'],
    ['203.0.113.7', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['2001:DB8:0:0::1/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::/0', '::/0'],
    ['::1', '::1/128'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['::ffff:203.0.113.7/120', '203.0.113.0/24'],
    ['::ffff:cb00:7107/128', '203.0.113.7/32'],
  ])('%s is stored as %s', (text, cidr) => {
    expect(readNetwork(text)?.cidr).toBe(cidr);
    expect(readNetwork(cidr)?.cidr).toBe(cidr);
  });

  it.each([
    ['', 'nothing'],
    ['203.0.113.0/33', 'too long a prefix'],
    ['203.0.113.0/-1', 'a negative prefix'],
    ['203.0.113.0/08', 'a leading zero'],
    ['203.0.113.0/', 'no prefix'],
    ['203.0.113.0/24/24', 'two prefixes'],
    ['203.0.113.0/255.255.255.0', 'a mask'],
    ['203.0.113/24', 'three parts'],
    ['010.0.0.1', 'an octal part'],
    ['0x7f.0.0.1', 'a hexadecimal part'],
    ['2130706433', 'a number'],
    ['256.0.0.1', 'a part too large'],
    ['2001:db8::/129', 'too long a prefix of IPv6'],
    ['2001:db8:::/32', 'three colons'],
    ['fe80::1%eth0/64', 'a zone'],
    ['::ffff:0.0.0.0/90', 'more than the addresses of IPv4'],
    ['example.com', 'a name'],
    ['10.0.0.0/8\n', 'a line break'],
    ['１０.0.0.0/8', 'other digits'],
  ])('%j is none: %s', (text) => {
    expect(readNetwork(text)).toBeUndefined();
  });

  it.each([
    ['203.0.113.0/24', '203.0.113.255', true],
    ['203.0.113.0/24', '203.0.114.0', false],
    ['203.0.113.0/24', '::ffff:203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['203.0.113.0/24', '', false],
    ['203.0.113.0/24', 'unknown', false],
  ])('%s holds %j: %s', (cidr, address, held) => {
    expect(readNetwork(cidr)?.holds(address)).toBe(held);
  });
});
