export { MadeOnce } from './made-once.ts';
export { ownTurn } from './own-turn.ts';
export { atOnce, inTurns, timeSlicer } from './time-slices.ts';
