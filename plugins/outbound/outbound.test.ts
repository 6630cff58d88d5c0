import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { pluginContract } from '../../test/contract/plugin.ts';
import { type HttpReceiver, startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { openOutbound, outbound, userHeaders } from './index.ts';

pluginContract('outbound', () => outbound());

const OPTIONS = { allowPrivate: [], timeoutMs: 2_000, maxBytes: 1_000 };
const PUBLIC = [{ address: '93.184.215.14', family: 4 }];
const LOOPBACK = [{ address: '127.0.0.1', family: 4 }];

const open: HttpReceiver[] = [];
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver[Symbol.asyncDispose]();
});

async function serve(...given: Parameters<typeof startHttpReceiver>): Promise<HttpReceiver> {
  const receiver = await startHttpReceiver(...given);
  open.push(receiver);
  return receiver;
}

const REFUSED = { code: 'invalid_request', reason: 'E_OUTBOUND_REFUSED' };

// What each name resolves to; others resolve to nothing.
const NAMES: Readonly<Record<string, readonly { address: string; family: number }[]>> = {
  'public.example.com': PUBLIC,
  'xn--mnchen-3ya.example': PUBLIC,
  'inside.example.com': [{ address: '10.1.2.3', family: 4 }],
  'mixed.example.com': [...PUBLIC, { address: '192.168.1.1', family: 4 }],
  'mapped.example.com': [{ address: '::ffff:10.0.0.1', family: 6 }],
  'linklocal.example.com': [{ address: 'fe80::1%eth0', family: 6 }],
};
const byName = async (name: string) => {
  const known = NAMES[name.replace(/\.$/, '')] ?? (/^[0-9.]+$/.test(name) ? [{ address: name, family: 4 }] : undefined);
  if (known === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
  return known;
};

describe('an address that is refused', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.0.0.1:8080/',
    'http://127.8.9.10/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://0.0.0.0/',
    'http://00000.0/',
    'http://①②⑦.⓪.⓪.①/',
    'http://１２７.０.０.１/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::FFFF:10.0.0.1]/',
    'http://[::ffff:8.8.8.8]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::a00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[2001:db8::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[ff02::1]/',
    'http://[4000::1]/',
    'http://[fe80::1%25eth0]/',
    'http://localhost/',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://localhost../',
    'http://app.localhost:3000/',
    'http://printer.local/',
    'http://metadata.google.internal/',
    'http://metadata.google.internal./',
    'http://nas.home.arpa/',
    'http://postgres/',
    'http://postgres.:5432/',
    'http://inside.example.com/',
    'http://inside.example.com./',
    'http://mixed.example.com/',
    'http://mapped.example.com/',
    'http://linklocal.example.com/',
    'http://public.example.com@127.0.0.1/',
    'http://127.0.0.1@public.example.com/',
    'http://user:secret@public.example.com/',
    'http://public.example.com:0/',
    'http://public.example.com:99999/',
    'http:\\\\127.0.0.1\\',
    'http:/127.0.0.1/',
    'http:127.0.0.1',
    'hTTp://127.0.0.1/',
    ' http://127.0.0.1/',
    'http://127.0.\t0.1/',
    'ftp://public.example.com/',
    'file:///etc/passwd',
    'gopher://public.example.com/',
    'data:text/plain,hello',
    'javascript:alert(1)',
    '//public.example.com/',
    'public.example.com',
    '',
    `http://public.example.com/${'x'.repeat(5_000)}`,
  ])('%s', async (url) => {
    const { check, fetch } = openOutbound(OPTIONS, byName);
    await expect(check(url)).rejects.toMatchObject(REFUSED);
    await expect(fetch({ url })).rejects.toMatchObject(REFUSED);
  });

  it('in any spelling of IPv4, and in any IPv6 that carries it', async () => {
    const { check } = openOutbound(OPTIONS, byName);
    const inside = ([first, last]: [number, number]) => fc.integer({ min: first, max: last });
    const address = fc.oneof(
      inside([0x0a000000, 0x0affffff]),
      inside([0x7f000000, 0x7fffffff]),
      inside([0xa9fe0000, 0xa9feffff]),
      inside([0xac100000, 0xac1fffff]),
      inside([0xc0a80000, 0xc0a8ffff]),
      inside([0x64400000, 0x647fffff]),
    );
    const spelled = (part: number, radix: number) =>
      radix === 10 ? `${part}` : radix === 8 ? `0${part.toString(8)}` : `0X00${part.toString(16).toUpperCase()}`;
    const wide = (text: string) => text.replace(/[0-9.]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
    const form = fc.record({
      address,
      parts: fc.integer({ min: 1, max: 4 }),
      radix: fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }),
      isWide: fc.boolean(),
      end: fc.constantFrom('', '.'),
      port: fc.constantFrom('', ':80', ':8443'),
      prefix: fc.constantFrom('::ffff:', '::', '64:ff9b::', '::ffff:0:', '2002:'),
    });
    await fc.assert(
      fc.asyncProperty(form, async ({ address, parts, radix, isWide, end, port, prefix }) => {
        const bytes = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
        // The last part holds all bytes that have no part of their own.
        const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
        const text = [...bytes.slice(0, parts - 1), last].map((part, at) => spelled(part, radix[at] ?? 10)).join('.');
        const words = [address >>> 16, address & 0xffff].map((word) => word.toString(16)).join(':');
        const v6 = prefix === '2002:' ? `2002:${words}::1` : `${prefix}${words}`;
        for (const host of [`${isWide ? wide(text) : text}${end}`, `[${v6}]`, `a.example.com@${text}`]) {
          await expect(check(`http://${host}${port}/`), host).rejects.toMatchObject(REFUSED);
        }
      }),
    );
  });

  it('is named in a sentence that says what to do, without where it leads', async () => {
    const { check } = openOutbound(OPTIONS, byName);
    await expect(check('http://inside.example.com:81/x?token=s3cret')).rejects.toMatchObject({
      message: 'The address inside.example.com:81 is not allowed: it is private, local or reserved.',
      hint: expect.stringContaining('SVC_ALLOW_PRIVATE_URLS'),
    });
  });
});

describe('an address that passes', () => {
  it.each([
    'https://public.example.com/hook?x=1',
    'https://public.example.com./hook',
    'https://PUBLIC.example.com:8443/',
    'https://münchen.example/',
    'http://93.184.215.14/',
    'http://172.32.0.1/',
    'http://11.0.0.1/',
    'http://[2606:4700:4700::1111]/',
    // Nothing answers for it: what it leads to is checked when it is called.
    'https://hooks.example.org/',
  ])('%s', async (url) => {
    await expect(openOutbound(OPTIONS, byName).check(url)).resolves.toBeUndefined();
  });

  it('is not kept waiting by a name that is never resolved', async () => {
    const never = () => new Promise<never>(() => {});
    await expect(openOutbound(OPTIONS, never).check('https://slow.example.com/')).resolves.toBeUndefined();
  });
});

it('names are resolved three at a time, and a thousand may wait', async () => {
  const asked: { name: string; answer: (addresses: typeof PUBLIC) => void }[] = [];
  const { check, fetch } = openOutbound(OPTIONS, (name) => new Promise((answer) => asked.push({ name, answer })));
  const checks = Array.from({ length: 5 }, (_, at) => check(`https://${at}.example.com/`));
  expect(asked.map(({ name }) => name)).toEqual(['0.example.com', '1.example.com', '2.example.com']);
  asked[1]?.answer(PUBLIC);
  await checks[1];
  expect(asked.map(({ name }) => name).slice(3)).toEqual(['3.example.com']);
  for (let at = 0; at < 999; at += 1) void check(`https://more-${at}.example.com/`);
  await expect(fetch({ url: 'https://late.example.com/' })).rejects.toMatchObject({
    reason: 'E_OUTBOUND_FAILED',
    message: 'Too many names wait to be resolved, late.example.com among them.',
  });
  for (let at = 0; at < asked.length; at += 1) {
    asked[at]?.answer(PUBLIC);
    await new Promise(setImmediate);
  }
  await Promise.all(checks);
  expect(asked).toHaveLength(1_004);
});

describe('a call', () => {
  it('is refused when the name resolves to a private address the second time', async () => {
    const { port, connections } = await serve((_, response) => response.end('secret'));
    const answers = [PUBLIC, LOOPBACK];
    const { check, fetch } = openOutbound(OPTIONS, async () => answers.shift() ?? LOOPBACK);
    const url = `http://rebinding.example.com:${port}/`;
    await check(url);
    await expect(fetch({ url })).rejects.toMatchObject(REFUSED);
    expect(connections()).toBe(0);
  });

  it('says when a name cannot be resolved, and when the server cannot be reached', async () => {
    const { port } = await serve((_, response) => response.end());
    await open.pop()?.[Symbol.asyncDispose]();
    const { fetch } = openOutbound({ ...OPTIONS, allowPrivate: [`127.0.0.1:${port}`] }, byName);
    await expect(fetch({ url: 'http://no.example.com/' })).rejects.toMatchObject({
      reason: 'E_OUTBOUND_FAILED',
      message: 'no.example.com could not be reached (ENOTFOUND).',
    });
    await expect(fetch({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({
      reason: 'E_OUTBOUND_FAILED',
      message: `127.0.0.1:${port} could not be reached (ECONNREFUSED).`,
    });
  });

  it('reaches an allowed host at its port only, however it is spelled', async () => {
    const { port, received } = await serve((_, response) => response.end('ok'));
    const other = await serve((_, response) => response.end('ok'));
    const { fetch, check } = openOutbound({ ...OPTIONS, allowPrivate: [`127.0.0.1:${port}`] });
    const sent = { method: 'POST', headers: { 'content-type': 'text/plain', 'X-A': 'b' }, body: 'grün' };
    const url = `http://127.0.0.1:${port}/hook?x=1`;
    expect(await fetch({ url, ...sent })).toMatchObject({ status: 200, text: 'ok', method: 'POST' });
    expect(received[0]).toMatchObject({ method: 'POST', url: '/hook?x=1', body: 'grün' });
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'text/plain', 'x-a': 'b', 'content-length': '5' });
    await check(`http://2130706433:${port}/`);
    await expect(check(`http://127.0.0.1:${other.port}/`)).rejects.toMatchObject(REFUSED);
    await expect(check(`http://127.0.0.2:${port}/`)).rejects.toMatchObject(REFUSED);
    await expect(check(`http://[::ffff:127.0.0.1]:${port}/`)).rejects.toMatchObject(REFUSED);
  });

  it('takes the port of the scheme for an allowed host', async () => {
    const { check } = openOutbound({ ...OPTIONS, allowPrivate: ['intranet:443', '[fd00::1]:80'] }, byName);
    await check('https://intranet/');
    await check('http://[fd00:0::1]/');
    await expect(check('http://intranet/')).rejects.toMatchObject(REFUSED);
  });

  it('uses no proxy of the environment', async () => {
    const proxy = await serve((_, response) => response.end('from the proxy'));
    const { port } = await serve((_, response) => response.end('direct'));
    const before = { ...process.env };
    Object.assign(process.env, {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
      http_proxy: `http://127.0.0.1:${proxy.port}`,
    });
    try {
      const { fetch } = openOutbound({ ...OPTIONS, allowPrivate: [`127.0.0.1:${port}`] });
      expect((await fetch({ url: `http://127.0.0.1:${port}/` })).text).toBe('direct');
    } finally {
      process.env = before;
    }
  });

  it('reads no more of the answer than it may', async () => {
    const { port } = await serve((_, response) => {
      response.writeHead(200);
      const write = () => response.write('x'.repeat(10_000)) && setImmediate(write);
      response.on('drain', write);
      write();
    });
    const { fetch } = openOutbound({ ...OPTIONS, allowPrivate: [`127.0.0.1:${port}`] });
    const url = `http://127.0.0.1:${port}/`;
    expect((await fetch({ url })).text).toHaveLength(1_000);
    expect((await fetch({ url, maxBytes: 10 })).text).toHaveLength(10);
  });

  it.each([
    ['sends no headers', () => {}],
    [
      'sends its body drop by drop',
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'redirects for ever, slowly',
      (_, response) => setTimeout(() => response.writeHead(307, { location: '/' }).end(), 80),
    ],
  ] satisfies [string, NonNullable<Parameters<typeof startHttpReceiver>[0]>][])(
    'ends in time when the server %s',
    async (_, answer) => {
      const { port } = await serve(answer);
      const { fetch } = openOutbound({ ...OPTIONS, timeoutMs: 200, allowPrivate: [`127.0.0.1:${port}`] });
      await expect(fetch({ url: `http://127.0.0.1:${port}/`, timeoutMs: 99_999 })).rejects.toMatchObject({
        reason: 'E_OUTBOUND_FAILED',
        message: `127.0.0.1:${port} did not answer within 200 ms.`,
      });
    },
  );

  it('ends with the signal of its caller', async () => {
    const { port } = await serve(() => {});
    const { fetch } = openOutbound({ ...OPTIONS, allowPrivate: [`127.0.0.1:${port}`] });
    const signal = AbortSignal.timeout(50);
    await expect(fetch({ url: `http://127.0.0.1:${port}/`, signal })).rejects.toSatisfy(
      (error) => error === signal.reason,
    );
  });
});

describe('a redirect', () => {
  const HEADERS = { 'content-type': 'application/json', 'x-atlas-signature': 'abc', 'x-key': 's3cret' };
  const to = async (status: number, location: (port: number) => string, method = 'POST') => {
    const last = await serve((_, response) => response.end('arrived'));
    const first = await serve(({ url }, response) => {
      if (url === '/same') response.end('same');
      else response.writeHead(status, { location: location(last.port) }).end();
    });
    const allowPrivate = [`127.0.0.1:${first.port}`, `127.0.0.1:${last.port}`];
    const { fetch } = openOutbound({ ...OPTIONS, allowPrivate }, byName);
    const answer = fetch({ url: `http://127.0.0.1:${first.port}/`, method, headers: HEADERS, body: '{}' });
    return { answer, first, last };
  };
  const elsewhere = (port: number) => `http://127.0.0.1:${port}/x`;

  it.each([301, 302, 303])('with %i turns a POST into a GET without a body', async (status) => {
    const { answer, last } = await to(status, elsewhere);
    expect(await answer).toMatchObject({ status: 200, method: 'GET', text: 'arrived' });
    expect(last.received[0]).toMatchObject({ method: 'GET', body: '' });
    expect(last.received[0]?.headers['content-type']).toBeUndefined();
  });

  it.each([
    [307, 'POST'],
    [308, 'POST'],
    [301, 'PUT'],
  ])('with %i keeps %s and its body', async (status, method) => {
    const { answer, last } = await to(status, elsewhere, method);
    expect(await answer).toMatchObject({ method });
    expect(last.received[0]).toMatchObject({ method, body: '{}' });
  });

  it('to another origin takes no signature and no header of a user along', async () => {
    const { answer, last } = await to(307, elsewhere);
    await answer;
    expect(last.received[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'atlas' });
    expect(last.received[0]?.headers).not.toHaveProperty('x-atlas-signature');
    expect(last.received[0]?.headers).not.toHaveProperty('x-key');
  });

  it('to the same origin takes them along', async () => {
    const { answer, first } = await to(308, () => '/same');
    expect(await answer).toMatchObject({ text: 'same' });
    expect(first.received[1]?.headers).toMatchObject(HEADERS);
  });

  it.each([
    'http://169.254.169.254/latest/',
    'http://127.0.0.1:1/',
    'http://inside.example.com/',
    '//localhost/',
    'http://user:secret@public.example.com/',
    'file:///etc/passwd',
    'http://[',
  ])('to %s is refused', async (location) => {
    const { answer, last } = await to(307, () => location);
    await expect(answer).rejects.toMatchObject(REFUSED);
    expect(last.connections()).toBe(0);
  });

  it('that is refused closes its connection', async () => {
    const closed = Promise.withResolvers<void>();
    const { host, url } = await serve((_, response) => {
      response.on('close', closed.resolve);
      response.writeHead(307, { location: 'http://10.0.0.1/' }).write('more to come');
    });
    const { fetch } = openOutbound({ ...OPTIONS, timeoutMs: 60_000, allowPrivate: [host] });
    await expect(fetch({ url })).rejects.toMatchObject(REFUSED);
    await closed.promise;
  });

  it('is followed five times', async () => {
    const { port, received } = await serve(({ url = '' }, response) => {
      const left = Number(url.slice(1));
      response.writeHead(left === 0 ? 200 : 302, { location: `/${left - 1}` }).end();
    });
    const { fetch } = openOutbound({ ...OPTIONS, allowPrivate: [`127.0.0.1:${port}`] });
    expect((await fetch({ url: `http://127.0.0.1:${port}/5` })).status).toBe(200);
    await expect(fetch({ url: `http://127.0.0.1:${port}/6` })).rejects.toMatchObject(REFUSED);
    expect(received).toHaveLength(12);
  });
});

describe('headers of a user', () => {
  it('keep what may be sent', () => {
    expect(userHeaders({ 'X-Api-Key': 'k', 'Content-Type': 'text/plain', 'x-umlaut': 'gr\u00fcn' })).toEqual({
      'x-api-key': 'k',
      'content-type': 'text/plain',
      'x-umlaut': 'gr\u00fcn',
    });
    expect(userHeaders(undefined)).toEqual({});
  });

  it.each([
    'Host',
    'COOKIE',
    'Authorization',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
    'Proxy-Connection',
    'X Space',
    'X-Break\r\nHost',
    'X:Colon',
    '',
  ])('drop %j', (name) => {
    expect(userHeaders({ [name]: 'x' })).toEqual({});
  });

  it.each(['a\r\nHost: evil', 'a\nb', 'a\0b', '\u{1f511}', 1, null, ['a'], { a: 1 }])('drop the value %j', (value) => {
    expect(userHeaders({ 'X-A': value })).toEqual({});
  });

  it('keep fifty', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`x-${at}`, 'v']));
    expect(Object.keys(userHeaders(many))).toHaveLength(50);
  });
});
