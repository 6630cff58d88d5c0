/**
 * Answers questions inside an application of your own, here one of Fastify: no port and no route of Atlas. Your
 * application says who asks; guard, limits and row security apply to that user as in any other composition.
 */
import { pathToFileURL } from 'node:url';
import { type Actor, createApp, defineConfig } from 'atlas-query';
import { agent } from 'atlas-query/plugins/agent';
import { authNone } from 'atlas-query/plugins/auth-none';
import { datasourceSqlite } from 'atlas-query/plugins/datasource-sqlite';
import { modelOffline } from 'atlas-query/plugins/model-offline';
import { rowSecurity } from 'atlas-query/plugins/row-security';
import { semanticLayer } from 'atlas-query/plugins/semantic-layer';
import { semanticQuery } from 'atlas-query/plugins/semantic-query';
import { sqlGuard } from 'atlas-query/plugins/sql-guard';
import { sqlLimits } from 'atlas-query/plugins/sql-limits';
import fastify, { type FastifyInstance } from 'fastify';

export interface Settings {
  readonly databaseUrl: string;
  readonly semanticDir: string;
}

/** Stands for the sign-in that your application has already. */
const USERS: Readonly<Record<string, { name: string; region: string }>> = {
  'token-of-ana': { name: 'Ana', region: 'Europe' },
  'token-of-ben': { name: 'Ben', region: 'Asia Pacific' },
};

export async function buildServer({ databaseUrl, semanticDir }: Settings): Promise<FastifyInstance> {
  const atlas = await createApp(
    defineConfig({
      plugins: [
        // The gates need an answer; who asks is decided below.
        authNone(),
        semanticLayer({ dir: semanticDir }),
        semanticQuery(),
        sqlLimits({ maxRows: 500 }),
        sqlGuard(),
        rowSecurity({ policies: [{ column: 'region', claim: 'region', tables: ['customers'] }] }),
        datasourceSqlite({ connections: [{ id: 'default', url: databaseUrl }] }),
        modelOffline(),
        agent(),
      ],
    }),
  );
  const server = fastify();
  server.addHook('onClose', () => atlas.close());
  server.post<{ Body: { question: string } }>('/ask', async (request, reply) => {
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const user = Object.hasOwn(USERS, token) ? USERS[token] : undefined;
    if (user === undefined) return reply.code(401).send({ message: 'Sign in first.' });
    const gone = new AbortController();
    request.raw.on('close', () => gone.abort());
    const actor: Actor = {
      id: user.name,
      label: user.name,
      role: 'viewer',
      mode: 'app',
      claims: { region: user.region },
    };
    const answer = await atlas
      .get(agent)
      .answer(
        { turns: [{ role: 'user', text: request.body.question }], surface: 'app' },
        atlas.scope({ actor, signal: gone.signal }),
      );
    return { answer: answer.text, sql: answer.sql, rows: answer.data.at(-1)?.rows ?? [] };
  });
  return server;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await buildServer({
    databaseUrl: process.env.SVC_DATASOURCE_URL ?? 'sqlite:shop.db',
    semanticDir: process.env.SVC_SEMANTIC_DIR ?? './semantic',
  });
  process.stdout.write(`Listening on ${await server.listen({ port: Number(process.env.PORT ?? 3000) })}\n`);
}
