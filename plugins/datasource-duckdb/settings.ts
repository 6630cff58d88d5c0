/** What one process may use. */
export interface EngineLimits {
  readonly threads: number;
  readonly memoryLimitMb: number;
  readonly tempLimitMb: number;
}

/**
 * How a file is opened: for reading, without a way to other files, the network or extensions, with bounds on memory and
 * temporary files; nothing of it can be changed by a statement.
 */
export function engineSettings({ threads, memoryLimitMb, tempLimitMb }: EngineLimits, scratch: string) {
  return {
    access_mode: 'READ_ONLY',
    threads: String(threads),
    memory_limit: `${memoryLimitMb}MiB`,
    temp_directory: scratch,
    max_temp_directory_size: `${tempLimitMb}MiB`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
    enable_external_access: 'false',
  };
}

/** Once after opening: zones as UTC, plans with every stage, and no change of any setting from then on. */
export const FINAL_SETTINGS: readonly string[] = [
  "SET GLOBAL TimeZone = 'UTC'",
  "SET GLOBAL explain_output = 'all'",
  'SET GLOBAL lock_configuration = true',
];
