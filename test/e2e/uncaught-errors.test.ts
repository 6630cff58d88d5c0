/** What becomes of a server, and of the answers that run, when an error reaches the process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { atlas, emptyFolder, serve } from '../harness/command.ts';

const source = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../..', path)).href);

/** A composition whose agent never answers, with a route that breaks the process in the way its path says. */
const config = (onSetup = '') => `
import { authAuthorize, authResolve, definePlugin, httpRoutes, sqlAfter, sqlCheck } from ${source('kernel/index.ts')};
import { http } from ${source('plugins/http/index.ts')};
import { queryApi } from ${source('plugins/query-api/index.ts')};

const forever = () => new Promise(() => {});
const answer = () => (process.stderr.write('A question is asked.\\n'), forever());
const agent = definePlugin({
  name: 'agent', version: '1.0.0', type: 'core', description: 'Never answers, and takes no notice of anything.',
  setup: () => ({ requestTimeoutMs: 60_000, answer, async *ask() { yield { type: 'text', text: 'I begin' }; await forever(); } }),
});
const fail = () => { throw new Error('It broke: postgres://atlas:hunter2@db.example/main'); };
const breaking = (path, how) => ({
  method: 'POST', path, summary: 'Breaks.', tag: 'Test', right: 'public', responses: { 200: {} },
  handle: () => { how(); return { body: {} }; },
});
const broken = definePlugin({
  name: 'broken', version: '1.0.0', type: 'interaction', description: 'Throws where nothing catches.',
  setup(ctx) {
    ${onSetup}
    ctx.tap(authResolve, () => ({ actor: { id: null, label: null, role: 'admin', mode: 'test', claims: {} }, orgId: null }));
    ctx.tap(authAuthorize, () => {});
    ctx.tap(sqlCheck, () => {});
    ctx.tap(sqlAfter, () => {});
    ctx.tap(httpRoutes, () => [
      breaking('/timer', () => setTimeout(fail, 50)),
      breaking('/rejection', () => setTimeout(() => Promise.reject(new Error('Not awaited')), 50)),
      breaking('/again', () => setInterval(fail, 5)),
    ]);
  },
});
export default { plugins: [http({ port: 0 }), queryApi(), agent(), broken()] };
`;

describe('an error that nothing handles', () => {
  it.each(['/timer', '/rejection', '/again'])(
    'in a %s ends the answers with an error, then the server',
    async (path) => {
      using folder = emptyFolder();
      writeFileSync(join(folder.path, 'atlas.config.ts'), config());
      await using server = await serve({ cwd: folder.path });
      const post = (to: string, body: object) =>
        fetch(server.url + to, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const messages = [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'q' }] }];
      const streams = await Promise.all([post('/api/chat', { messages }), post('/api/chat?stream=ui', { messages })]);
      const texts = streams.map((stream) => stream.text());
      const answer = post('/api/v1/query', { question: 'q' });
      await expect.poll(() => server.stderr()).toContain('A question is asked.');
      expect((await post(path, {})).status).toBe(200);
      const { status, headers } = await answer;
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(await (await answer).json()).toMatchObject({ error: 'unavailable', requestId: expect.any(String) });
      const [codes = '', ui = ''] = await Promise.all(texts);
      expect(codes).toMatch(/^data: 0:"I begin"\n\ndata: 3:\{"error":"unavailable".*\}\n\ndata: d:.*\n\n$/);
      expect(ui).toMatch(/"type":"error"[\s\S]*data: \[DONE\]\n\n$/);
      expect(await server.ended).toBe(1);
      const lines = server.stderr().trim().split('\n');
      const told = lines.filter((line) => line.includes('an error that nothing has handled'));
      expect(told).toHaveLength(1);
      expect(JSON.parse(told[0] ?? '')).toMatchObject({
        level: 50,
        error: expect.stringMatching(/It broke|Not awaited/),
        at: expect.stringContaining('atlas.config.ts'),
      });
      expect(server.stderr()).not.toContain('hunter2');
    },
  );

  it('in the background of the start is told in one sentence', async () => {
    using folder = emptyFolder();
    const late = 'ctx.onReady(() => new Promise((done) => { setTimeout(fail, 20); setTimeout(done, 5_000); }));';
    writeFileSync(join(folder.path, 'atlas.config.ts'), config(late));
    const { code, stdout, stderr } = await atlas(['serve'], { cwd: folder.path });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Atlas could not start because of an error that nothing has handled: It broke/m);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
