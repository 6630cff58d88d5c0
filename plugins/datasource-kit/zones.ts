/** Gives instants as the clocks of a time zone show them. */

const UTC_NAMES = /^(?:Etc\/)?(?:UTC|GMT|UCT|Universal|Zulu)$|^Etc\/GMT[+-]?0$/i;

export type WallClock = (instant: string) => string;

/** Reads `2024-02-29T11:30:00.5Z` and gives `2024-02-29T12:30:00.5`. A zone that is not known here stays UTC. */
export function wallClockOf(zone: string): WallClock {
  const format = UTC_NAMES.test(zone) ? undefined : formatOf(zone);
  if (format === undefined) return (instant) => instant.replace(/Z$/, '');
  return (instant) => {
    const at = new Date(instant);
    if (Number.isNaN(at.getTime())) return instant;
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const fraction = /\.\d+/.exec(instant)?.[0] ?? '';
    const date = `${String(parts.year).padStart(4, '0')}-${parts.month}-${parts.day}`;
    return `${date}T${parts.hour}:${parts.minute}:${parts.second}${fraction}`;
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  } catch {
    return undefined;
  }
}
