import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { RequestBodies } from './request-bodies.ts';

it('a body that is read after its client has left takes no room for ever', () => {
  const bodies = new RequestBodies(1_000_000);
  const gone = new Socket();
  expect(bodies.hold(gone, 900_000)).toBe(true);
  bodies.forget(gone);
  gone.destroy();
  expect(bodies.hold(gone, 900_000)).toBe(true);
  const present = new Socket();
  expect(bodies.hold(present, 20_000)).toBe(true);
  expect(bodies.hasRoom(new Socket(), 900_000)).toBe(true);
});
