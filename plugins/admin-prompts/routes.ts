/** Serves prompt collections: to administrators, who change them, and to clients, which show them. */
import { defineRoute, type Route } from '../../kernel/index.ts';
import { SUCCEEDED, Success } from '../admin-kit/index.ts';
import {
  ClientQuery,
  Collection,
  CollectionDetail,
  CollectionPage,
  CollectionParams,
  CreateCollection,
  CreateItem,
  Item,
  ItemParams,
  ListQuery,
  OrderBody,
  PromptPage,
  UpdateCollection,
  UpdateItem,
} from './schemas.ts';
import type { PromptService } from './service.ts';

export interface PromptRoutesInit {
  readonly prompts: PromptService;
}

const PATH = '/api/v1/admin/prompts';

export function promptRoutes({ prompts }: PromptRoutesInit): Route[] {
  const all = {
    tag: 'Prompts',
    right: 'admin:settings',
    errors: ['forbidden'],
    organizationData: 'The list of prompts',
  } as const;
  const one = { ...all, params: CollectionParams, errors: ['forbidden', 'not_found'] };
  const item = { ...one, params: ItemParams };
  return [
    defineRoute({
      tag: 'Prompts',
      right: 'query',
      method: 'GET',
      path: '/api/v1/prompts',
      operationId: 'listPrompts',
      summary: 'Questions to choose from: the collections of the active organization, then those that are built in.',
      query: ClientQuery,
      responses: { 200: PromptPage },
      async handle({ query }, scope) {
        return { body: { ...(await prompts.list(scope, query)), limit: query.limit, offset: query.offset } };
      },
    }),
    defineRoute({
      ...all,
      method: 'GET',
      path: PATH,
      operationId: 'listPromptCollections',
      area: 'prompts',
      summary: 'The prompt collections in their order, then those that are built in.',
      query: ListQuery,
      responses: { 200: CollectionPage },
      async handle({ query }, scope) {
        return { body: { ...(await prompts.collections(scope, query)), limit: query.limit, offset: query.offset } };
      },
    }),
    defineRoute({
      ...all,
      method: 'POST',
      path: PATH,
      operationId: 'createPromptCollection',
      summary: 'Creates a prompt collection.',
      errors: ['forbidden', 'conflict'],
      body: CreateCollection,
      responses: { 201: Collection },
      async handle({ body }, scope) {
        return { status: 201, body: await prompts.create(scope, body) };
      },
    }),
    defineRoute({
      ...all,
      method: 'PUT',
      path: `${PATH}/order`,
      operationId: 'orderPromptCollections',
      summary: 'Gives the prompt collections an order.',
      errors: ['forbidden', 'conflict'],
      body: OrderBody,
      responses: { 200: Success },
      async handle({ body: { ids } }, scope) {
        await prompts.reorder(scope, lower(ids));
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...one,
      method: 'GET',
      path: `${PATH}/:id`,
      operationId: 'getPromptCollection',
      summary: 'A prompt collection with its prompts.',
      responses: { 200: CollectionDetail },
      async handle({ params: { id } }, scope) {
        return { body: await prompts.find(scope, id.toLowerCase()) };
      },
    }),
    defineRoute({
      ...one,
      method: 'PUT',
      path: `${PATH}/:id`,
      operationId: 'updatePromptCollection',
      summary: 'Changes a prompt collection; one that is built in cannot be changed.',
      body: UpdateCollection,
      responses: { 200: Collection },
      async handle({ params: { id }, body }, scope) {
        return { body: await prompts.update(scope, id.toLowerCase(), body) };
      },
    }),
    defineRoute({
      ...one,
      method: 'DELETE',
      path: `${PATH}/:id`,
      operationId: 'deletePromptCollection',
      summary: 'Deletes a prompt collection with its prompts; one that is built in cannot be deleted.',
      responses: { 200: Success },
      async handle({ params: { id } }, scope) {
        await prompts.remove(scope, id.toLowerCase());
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...one,
      method: 'POST',
      path: `${PATH}/:id/items`,
      operationId: 'createPrompt',
      summary: 'Adds a prompt to a collection.',
      errors: [...one.errors, 'conflict'],
      body: CreateItem,
      responses: { 201: Item },
      async handle({ params: { id }, body }, scope) {
        return { status: 201, body: await prompts.createItem(scope, id.toLowerCase(), body) };
      },
    }),
    defineRoute({
      ...one,
      method: 'PUT',
      path: `${PATH}/:id/items/order`,
      operationId: 'orderPrompts',
      summary: 'Gives the prompts of a collection an order.',
      errors: [...one.errors, 'conflict'],
      body: OrderBody,
      responses: { 200: Success },
      async handle({ params: { id }, body: { ids } }, scope) {
        await prompts.reorderItems(scope, id.toLowerCase(), lower(ids));
        return SUCCEEDED;
      },
    }),
    defineRoute({
      ...item,
      method: 'PUT',
      path: `${PATH}/:id/items/:itemId`,
      operationId: 'updatePrompt',
      summary: 'Changes a prompt.',
      body: UpdateItem,
      responses: { 200: Item },
      async handle({ params: { id, itemId }, body }, scope) {
        return { body: await prompts.updateItem(scope, id.toLowerCase(), itemId.toLowerCase(), body) };
      },
    }),
    defineRoute({
      ...item,
      method: 'DELETE',
      path: `${PATH}/:id/items/:itemId`,
      operationId: 'deletePrompt',
      summary: 'Deletes a prompt.',
      responses: { 200: Success },
      async handle({ params: { id, itemId } }, scope) {
        await prompts.removeItem(scope, id.toLowerCase(), itemId.toLowerCase());
        return SUCCEEDED;
      },
    }),
  ];
}

/** UUIDs as they are stored. */
const lower = (ids: readonly string[]) => ids.map((id) => id.toLowerCase());
