/** Uses the interface through openapi-fetch, with the types of openapi-typescript. Prints what it got. */
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type StreamEvent = components['schemas']['CodeStreamEvent'];

const baseUrl = process.argv[2] ?? '';
const anonymous = createClient<paths>({ baseUrl });
const account = { email: 'fetch@example.com', password: 'correct horse battery', name: 'Fetch' };
const signedUp = await anonymous.POST('/api/auth/sign-up/email', { body: account });
const signedIn = await anonymous.POST('/api/auth/sign-in/email', { body: account });
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${signedIn.data?.token}` } });

const asked = await client.POST('/api/v1/query', { body: { question: 'How many orders are there?' } });
const id = asked.data?.conversationId ?? '';
const row: Record<string, unknown> | undefined = asked.data?.data[0]?.rows[0];
const followUp = await client.POST('/api/v1/query', {
  body: { question: 'How many customers are there?', conversationId: id },
});
const listed = await client.GET('/api/v1/conversations', { params: { query: { limit: 5 } } });
const read = await client.GET('/api/v1/conversations/{id}', { params: { path: { id } } });
const starred = await client.PATCH('/api/v1/conversations/{id}/star', {
  params: { path: { id } },
  body: { starred: true },
});
const deleted = await client.DELETE('/api/v1/conversations/{id}', { params: { path: { id } } });

// @ts-expect-error The compiler knows what a question is.
const wrong = await client.POST('/api/v1/query', { body: { question: 5 } });
const misspelt = await client.POST('/api/v1/query', { body: { question: 'How many?', conectionId: 'default' } });
const anonymously = await anonymous.POST('/api/v1/query', { body: { question: 'How many orders are there?' } });
const users = await client.GET('/api/v1/admin/users');

const chat = await client.POST('/api/chat', {
  body: { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'How many orders are there?' }] }] },
  parseAs: 'stream',
});
const events: StreamEvent[] = [];
let rest = '';
for await (const piece of (chat.data as unknown as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split('\n\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const [, code, json = ''] = /^data: (.):(.*)$/s.exec(line) ?? [];
    if (code !== undefined) events.push({ code, value: JSON.parse(json) } as StreamEvent);
  }
}
let text = '';
for (const event of events) if (event.code === '0') text += event.value;

console.log(
  JSON.stringify({
    signedUp: signedUp.data?.user.email,
    answer: asked.data?.answer,
    row,
    sameConversation: followUp.data?.conversationId === id,
    listed: listed.data?.conversations.map((conversation) => conversation.title),
    roles: read.data?.messages.map(({ role }) => role),
    starred: starred.data?.starred,
    deleted: deleted.response.status,
    wrong: wrong.response.status,
    misspelt: [misspelt.response.status, misspelt.error?.error, misspelt.error?.details?.[0]?.message],
    anonymously: [anonymously.response.status, anonymously.error?.error],
    users: users.data?.users.map(({ email }) => email),
    text,
    codes: events.map(({ code }) => code).join(''),
    conversation: chat.response.headers.get('x-conversation-id') !== null,
  }),
);
