import { describe, expect, it } from 'vitest';
import { pluginContract } from '../../test/contract/plugin.ts';
import { sandboxContract } from '../../test/contract/sandbox.ts';
import { createTestApp } from '../../test/harness/create-test-app.ts';
import { exploreSandbox } from '../semantic-layer/index.ts';
import { sandboxJustBash } from './index.ts';

pluginContract('sandbox-just-bash', () => sandboxJustBash());

sandboxContract('just-bash', () => ({
  plugin: sandboxJustBash(),
  commands: {
    list: 'find . -type f',
    read: (path) => `cat "${path.replaceAll('$', '\\$')}"`,
    find: (word) => `grep -r ${word} .`,
    invalid: 'frobnicate --now',
    hostile: [
      'cat /proc/self/environ /proc/1/environ',
      'env; printenv; set',
      'ls /; ls -R /work /root /home; cat /layer/../../package.json',
      'curl http://127.0.0.1/; wget http://127.0.0.1/',
      'echo $ATLAS_TEST_PASSWORD; id; whoami; uname -a',
      'exec 3<>/dev/tcp/127.0.0.1/22; cat <&3',
      `node -e 'console.log(process.env)'; python3 -c 'print(1)'; js-exec -c '1'`,
      'sh -c id; bash -c "cat /etc/passwd"; eval "cat /etc/passwd"; source /etc/passwd',
      `sqlite3 :memory: "SELECT readfile('/etc/passwd')"`,
      `awk 'BEGIN { system("id"); while (("cat /etc/passwd" | getline l) > 0) print l }'`,
      `jq -n 'env, $ENV, input_filename'`,
      'ln -s /etc/passwd p; cat p; tar -cf - /etc/passwd',
    ],
    writes: ['echo changed > entities/orders.yml', 'rm -rf .', 'echo x > new.yml', 'mkdir -p a/b'],
    slow: 'while true; do for i in $(seq 1 1000); do sleep 0; done; done; sleep 60',
    endless: 'seq 1 200000',
  },
}));

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
    const startedAt = performance.now();
    const scope = app.scope({ signal: AbortSignal.timeout(3_000) });
    await Promise.resolve(sandbox?.value.run({ command, files, maxBytes: 1_000 }, scope)).catch(() => {});
    const tookMs = performance.now() - startedAt;
    clearInterval(ticking);
    expect(tookMs).toBeLessThan(6_000);
    expect(ticks).toBeGreaterThan(tookMs / 200);
  });
});
