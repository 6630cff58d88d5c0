/** Declares what the plugin offers to the command line. */
import type { StdioRequest } from './stdio.ts';

export interface McpApi {
  /** Serves one client over the two streams; resolves when it has left. */
  serveStdio(request: StdioRequest): Promise<void>;
}
