/** Describes what the routes of prompts take and answer. */

import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { orNull, page, pageQuery } from '../admin-kit/index.ts';

const closed = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '\\S', ...(description !== undefined && { description }) });

const time = Type.String({ format: 'date-time' });
const uuid = Type.String({ format: 'uuid' });
const sortOrder = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'Place in the order, the lowest first. Default: behind the others.',
});

const collection = {
  id: uuid,
  orgId: orNull(Type.String({ description: '`null`: of no organization, or built in.' })),
  name: Type.String(),
  industry: Type.String(),
  description: orNull(Type.String()),
  isBuiltin: Type.Boolean({ description: 'Whether it comes with the server, and cannot be changed.' }),
  sortOrder: Type.Integer(),
  createdAt: time,
  updatedAt: time,
};

export const Item = Type.Object(
  {
    id: uuid,
    collectionId: uuid,
    question: Type.String(),
    description: orNull(Type.String()),
    category: orNull(Type.String()),
    sortOrder: Type.Integer(),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Prompt' },
);

export const Collection = Type.Object(collection, { title: 'PromptCollection' });

export const CollectionDetail = Type.Object(
  { ...collection, items: Type.Array(Item) },
  { title: 'PromptCollectionDetail' },
);

export const CollectionPage = page('collections', Collection);
export const PromptPage = page('collections', CollectionDetail);

const industry = Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of this industry only.' }));

export const ListQuery = Type.Object({ ...pageQuery({ limit: 50, max: 200 }), industry });
export const ClientQuery = Type.Object({ ...pageQuery({ limit: 20, max: 50 }), industry });

export const CollectionParams = Type.Object({ id: uuid });
export const ItemParams = Type.Object({ id: uuid, itemId: uuid });

const collectionFields = {
  name: text(200),
  industry: text(100),
  description: Type.Optional(orNull(Type.String({ maxLength: 2_000 }))),
  sortOrder: Type.Optional(sortOrder),
};

export const CreateCollection = closed({
  ...collectionFields,
  isBuiltin: Type.Optional(
    Type.Boolean({ description: 'Has no effect: what is created here is never built in.', deprecated: true }),
  ),
});
export type CreateCollection = Static<typeof CreateCollection>;

export const UpdateCollection = closed({
  ...collectionFields,
  name: Type.Optional(collectionFields.name),
  industry: Type.Optional(collectionFields.industry),
});
export type UpdateCollection = Static<typeof UpdateCollection>;

const itemFields = {
  question: text(2_000, 'What a user would ask.'),
  description: Type.Optional(orNull(Type.String({ maxLength: 1_000 }))),
  category: Type.Optional(orNull(Type.String({ maxLength: 100 }))),
  sortOrder: Type.Optional(sortOrder),
};

export const CreateItem = closed(itemFields);
export type CreateItem = Static<typeof CreateItem>;

export const UpdateItem = closed({ ...itemFields, question: Type.Optional(itemFields.question) });
export type UpdateItem = Static<typeof UpdateItem>;

export const OrderBody = closed({
  ids: Type.Array(uuid, { minItems: 1, maxItems: 200, uniqueItems: true, description: 'All of them, in their order.' }),
});
