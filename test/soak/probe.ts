/** Loaded into the server before it starts: tells what the process holds after a garbage collection. */
import { isMainThread } from 'node:worker_threads';

export interface ProbeReport {
  readonly heapBytes: number;
  /** Size of buffers and other memory outside the heap that objects of the heap hold. */
  readonly externalBytes: number;
  /** Timers that keep the process alive. */
  readonly timers: number;
  readonly sockets: number;
}

if (isMainThread && process.channel !== undefined && process.channel !== null) {
  process.on('message', () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    const active = process.getActiveResourcesInfo();
    const count = (name: string) => active.filter((type) => type === name).length;
    const report: ProbeReport = {
      heapBytes: heapUsed,
      externalBytes: external,
      timers: count('Timeout'),
      sockets: count('TCPSocketWrap'),
    };
    process.send?.(report);
  });
  process.channel.unref();
}
