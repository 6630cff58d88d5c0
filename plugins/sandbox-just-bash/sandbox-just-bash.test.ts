import { describe, expect, it } from 'vitest';
import { pluginContract } from '../../test/contract/plugin.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { exploreSandbox } from '../semantic-layer/index.ts';
import { sandboxJustBash } from './index.ts';

pluginContract('sandbox-just-bash', () => sandboxJustBash());

const files = [{ path: 'entities/orders.yml', text: 'table: orders\nmeasures:\n  - name: revenue\n' }];

describe('a command', () => {
  it.each([
    ['grep -rn revenue . | cut -d: -f1,2', 'entities/orders.yml:3'],
    [`yq '.table' entities/orders.yml`, 'orders'],
    ['ls entities | wc -l', '1'],
    ['true', 'It printed nothing.'],
    ['cat nothing.yml', 'cat: nothing.yml: No such file or directory\nThe command ended with 1.'],
  ])('%s', async (command, answer) => {
    await using app = await createTestApp({ plugins: [sandboxJustBash()] });
    const [sandbox] = await app.call(exploreSandbox, undefined, app.scope());
    expect((await sandbox?.value.run({ command, files, maxBytes: 1_000 }, app.scope()))?.trim()).toBe(answer);
  });

  it.each([
    ['of regular expressions', `echo ${'a'.repeat(40)}! | grep -E '^(a|a)*b$|(a+)+$'`],
    ['in awk', `awk 'BEGIN { while (1) i++ }'`],
    ['of forks', ':(){ :|:& };:'],
    ['that only counts', 'while :; do :; done'],
    ['of memory', 'x=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done'],
    ['of braces', 'echo {1..9999}{1..9999}'],
  ])('%s does not hold up the server', async (_, command) => {
    await using app = await createTestApp({ plugins: [sandboxJustBash()] });
    const [sandbox] = await app.call(exploreSandbox, undefined, app.scope());
    let ticks = 0;
    const ticking = setInterval(() => ticks++, 20);
    const scope = app.scope({ signal: AbortSignal.timeout(3_000) });
    await Promise.resolve(sandbox?.value.run({ command, files, maxBytes: 1_000 }, scope)).catch(() => {});
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(0);
  });
});
