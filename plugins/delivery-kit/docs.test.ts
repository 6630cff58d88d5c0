/** The code of docs/delivery.md works as it stands. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { PluginEntry } from '../../kernel/index.ts';
import { deliverContract } from '../../test/contract/deliver.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { blocksOf } from '../../test/harness/doc-blocks.ts';
import { startHttpReceiver } from '../../test/harness/http-receiver.ts';
import { startTestReceiver } from '../../test/harness/test-receiver.ts';
import { outbound } from '../outbound/index.ts';
import { postWebhook } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'atlas-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Loads a block of the page after replacements. */
function load<T>(language: string, replaced: (text: string) => string = (text) => text): Promise<T> {
  const block = blocksOf('docs/delivery.md').find((one) => one.language === language);
  const file = join(folder, `${language}-${Math.random().toString(36).slice(2)}.${language}`);
  writeFileSync(file, replaced(block?.text ?? ''));
  return import(file);
}

describe('the receiver of docs/delivery.md', () => {
  it('takes what is signed with its secret, just now, and nothing else', async () => {
    type Verify = (headers: object, body: string, secret: string) => boolean;
    const { isFromAtlas } = await load<{ isFromAtlas: Verify }>('js');
    await using receiver = await startHttpReceiver();
    await using app = await createTestApp({ plugins: [outbound({ allowPrivate: [receiver.host] })] });
    const call = {
      url: receiver.url,
      secret: 'whsec',
      body: '{"a":"ü"}',
      key: 'k',
      signal: AbortSignal.timeout(5_000),
    };
    await postWebhook(app.get(outbound), { ...call, now: Date.now() });
    await postWebhook(app.get(outbound), { ...call, now: Date.now() - 600_000 });
    const [now, late] = receiver.received;
    expect(isFromAtlas(now?.headers ?? {}, now?.body ?? '', 'whsec')).toBe(true);
    expect(isFromAtlas(now?.headers ?? {}, now?.body ?? '', 'other')).toBe(false);
    expect(isFromAtlas(now?.headers ?? {}, `${now?.body} `, 'whsec')).toBe(false);
    expect(isFromAtlas(late?.headers ?? {}, late?.body ?? '', 'whsec')).toBe(false);
    expect(isFromAtlas({}, now?.body ?? '', 'whsec')).toBe(false);
  });
});

deliverContract('the channel of docs/delivery.md', async () => {
  const receiver = await startTestReceiver();
  const { deliverInbox } = await load<{ deliverInbox: () => PluginEntry }>('ts', (text) =>
    text
      .replace('http://127.0.0.1:9091', receiver.url)
      .replace('atlas-query/kernel', join(import.meta.dirname, '../../kernel/index.ts'))
      .replace('atlas-query/plugins/delivery-kit', join(import.meta.dirname, 'index.ts')),
  );
  return Object.assign(receiver, {
    channel: 'inbox',
    plugin: deliverInbox(),
    recipient: { user: 'ann' },
    invalidRecipients: [{ user: '../admin' }],
  });
});
