/** Uses the interface through the client that hey-api generates. Prints what it got. */
import { createClient } from './hey/client/index.js';
import {
  askQuestion,
  chat,
  getConversation,
  getSession,
  listConversations,
  signInEmail,
  signUpEmail,
} from './hey/index.js';
import type { UiStreamChunk } from './hey/types.gen.js';

const baseUrl = process.argv[2] ?? '';
const anonymous = createClient({ baseUrl });
const account = { email: 'hey@example.com', password: 'correct horse battery', name: 'Hey' };
await signUpEmail({ client: anonymous, body: account });
const signedIn = await signInEmail({ client: anonymous, body: account });
const client = createClient({ baseUrl, auth: () => signedIn.data?.token });

const session = await getSession({ client });
const asked = await askQuestion({ client, body: { question: 'How many orders are there?' } });
const listed = await listConversations({ client, query: { limit: 5 } });
const read = await getConversation({ client, path: { id: asked.data?.conversationId ?? '' } });
const anonymously = await askQuestion({ client: anonymous, body: { question: 'How many orders are there?' } });

const { stream } = await chat({
  client,
  query: { stream: 'ui' },
  body: { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'How many orders are there?' }] }] },
});
let text = '';
for await (const event of stream) {
  const chunk = event as unknown as UiStreamChunk | '[DONE]';
  if (typeof chunk === 'object' && chunk.type === 'text-delta') text += chunk.delta;
}

console.log(
  JSON.stringify({
    session: session.data,
    answer: asked.data?.answer,
    total: listed.data?.total,
    roles: read.data?.messages.map(({ role }) => role),
    anonymously: [anonymously.response?.status, anonymously.error?.error],
    text,
  }),
);
