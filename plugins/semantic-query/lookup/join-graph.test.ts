import { describe, expect, it } from 'vitest';
import type { SemanticModel } from '../../semantic-layer/index.ts';
import { PlanError } from '../errors.ts';
import { dimension, entity, join, modelOf } from '../fixtures/shop.ts';
import { JoinGraph } from './join-graph.ts';

const node = (name: string, ...joins: Parameters<typeof join>[]) =>
  entity(name, { dimensions: [dimension('id')], joins: joins.map((one) => join(...one)) });

function route(model: SemanticModel, from: string, to: string, joinPath: string[] = []): string {
  return new JoinGraph(model)
    .path(model.entity(from)!, model.entity(to)!, joinPath)
    .map((hop) => `${hop.multiplies ? '<' : '>'} ${hop.to.name}`)
    .join(' ');
}

function refused(model: SemanticModel, from: string, to: string, joinPath: string[] = []): PlanError {
  try {
    route(model, from, to, joinPath);
  } catch (error) {
    if (error instanceof PlanError) return error;
  }
  throw new Error('The path was not refused.');
}

describe('the path between entities', () => {
  const addresses = modelOf([
    node(
      'orders',
      ['addresses', 'many_to_one', 'billing_id', 'id', 'billing'],
      ['addresses', 'many_to_one', 'shipping_id', 'id', 'shipping'],
    ),
    node('addresses', ['countries', 'many_to_one', 'country_id', 'id']),
    node('countries'),
  ]);

  it('asks which of several joins is meant, and accepts the answer', () => {
    const error = refused(addresses, 'orders', 'countries');
    expect(error).toMatchObject({ code: 'ambiguous_path', choices: ['orders.billing', 'orders.shipping'] });
    for (const answer of ['shipping', 'orders.shipping']) {
      expect(route(addresses, 'orders', 'countries', [answer])).toBe('> addresses > countries');
    }
    const graph = new JoinGraph(addresses);
    const [hop] = graph.path(addresses.entity('orders')!, addresses.entity('addresses')!, ['shipping']);
    expect(hop!.on).toEqual([{ from: 'shipping_id', to: 'id' }]);
  });

  it('calls a join that is declared on both sides as it is where the path comes from', () => {
    const jobs = modelOf([
      node('machines', ['plants', 'many_to_one', 'plant_id', 'id'], ['jobs', 'one_to_many', 'id', 'machine_id']),
      node('people', ['plants', 'many_to_one', 'plant_id', 'id'], ['jobs', 'one_to_many', 'id', 'person_id']),
      node('jobs', ['machines', 'many_to_one', 'machine_id', 'id'], ['people', 'many_to_one', 'person_id', 'id']),
      node('plants'),
    ]);
    const { choices } = refused(jobs, 'jobs', 'plants');
    expect(choices).toEqual(['jobs.machines, machines.plants', 'jobs.people, people.plants']);
  });

  it('asks which of several longer paths is meant, and accepts each choice', () => {
    const model = modelOf([
      node('items', ['orders', 'many_to_one', 'o', 'id'], ['products', 'many_to_one', 'p', 'id']),
      node('orders', ['customers', 'many_to_one', 'c', 'id']),
      node('customers', ['countries', 'many_to_one', 'n', 'id']),
      node('products', ['countries', 'many_to_one', 'n', 'id']),
      node('countries'),
    ]);
    const { choices } = refused(model, 'items', 'countries');
    expect(choices).toEqual([
      'items.products, products.countries',
      'items.orders, orders.customers, customers.countries',
    ]);
    expect(choices.map((choice) => route(model, 'items', 'countries', [choice]))).toEqual([
      '> products > countries',
      '> orders > customers > countries',
    ]);
  });

  it('prefers a direct join to a detour', () => {
    const model = modelOf([
      node('items', ['orders', 'many_to_one', 'o', 'id'], ['customers', 'many_to_one', 'c', 'id']),
      node('orders', ['customers', 'many_to_one', 'c', 'id']),
      node('customers'),
    ]);
    expect(route(model, 'items', 'customers')).toBe('> customers');
    expect(route(model, 'items', 'customers', ['items.orders', 'orders.customers'])).toBe('> orders > customers');
  });

  it('prefers to-one paths, and details to shared entities', () => {
    const model = modelOf([
      node('orders', ['customers', 'many_to_one', 'c', 'id'], ['notes', 'one_to_many', 'id', 'o']),
      node('notes', ['authors', 'many_to_one', 'a', 'id'], ['customers', 'many_to_one', 'c', 'id']),
      node('customers', ['authors', 'one_to_many', 'id', 'c']),
      node('authors'),
    ]);
    expect(route(model, 'orders', 'customers')).toBe('> customers');
    expect(route(model, 'orders', 'authors')).toBe('< notes > authors');
  });

  it('treats a join that both sides declare as one', () => {
    const model = modelOf([
      node('orders', ['customers', 'many_to_one', 'customer_id', 'id']),
      node('customers', ['orders', 'one_to_many', 'id', 'customer_id']),
    ]);
    expect(route(model, 'orders', 'customers')).toBe('> customers');
    expect(route(model, 'customers', 'orders')).toBe('< orders');
  });

  it('reports that there is none', () => {
    const model = modelOf([
      node('a', ['missing', 'many_to_one', 'x', 'y'], ['a', 'many_to_one', 'up', 'id']),
      node('b'),
    ]);
    expect(refused(model, 'a', 'b').code).toBe('no_path');
    expect(refused(addresses, 'orders', 'countries', ['sideways']).code).toBe('unknown_name');
  });

  it('stays fast among thousands of entities around a hub', () => {
    const spokes = Array.from({ length: 2_000 }, (_, n) => node(`s${n}`, ['hub', 'many_to_one', 'h', 'id']));
    const model = modelOf([node('hub'), ...spokes]);
    expect(route(model, 's1', 's1999')).toBe('> hub < s1999');
  });
});
