/** Parses long files of a layer, in a thread of its own. */
import { parentPort } from 'node:worker_threads';
import { parseLayerFile } from './layer-file.ts';
import type { Answer, Task, Tasks } from './parser-tasks.ts';
import { positionsOf, withConnection } from './yaml.ts';

function resultOf({ kind, given }: Task): Tasks[keyof Tasks]['result'] {
  switch (kind) {
    case 'parse':
      return parseLayerFile(given.found, given.text);
    case 'positions':
      return positionsOf(given.text, given.paths);
    case 'withConnection':
      return withConnection(given.text, given.connection);
  }
}

function answerTo(task: Task): Answer {
  try {
    return { result: resultOf(task) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (task: Task) => parentPort?.postMessage(answerTo(task)));
