export { MadeOnce } from './made-once.ts';
export { atOnce, inTurns, timeSlicer } from './time-slices.ts';
export { Turns } from './turns.ts';
