import { expect, it } from 'vitest';
import { cronInWords } from './cron-words.ts';

it.each([
  ['* * * * *', 'Every minute, every day'],
  ['*/15 * * * *', 'Every 15 minutes, every day'],
  ['0 * * * *', 'Every hour, every day'],
  ['5,35 * * * *', 'At minute 5 and 35 of every hour, every day'],
  ['0 */2 * * *', 'Every 2 hours, every day'],
  ['30 8 * * 1-5', 'At 08:30, on Monday to Friday'],
  ['0 8,17 * * mon,FRI', 'At 08:00 and 17:00, on Monday and Friday'],
  ['0 0 1 * *', 'At 00:00, on the 1st of the month'],
  ['0 6 2,3,11-13 1,JUL *', 'At 06:00, on the 2nd, the 3rd, and the 11th to the 13th of the month in January and July'],
  ['0 9 1 * 7', 'At 09:00, on the 1st of the month and on Sunday'],
  ['*/10 9-17 * * *', 'Every 10 minutes in the hours 09:00 to 17:00, every day'],
  ['  0   8 * * *  ', 'At 08:00, every day'],
])('%s', (expression, words) => {
  expect(cronInWords(expression)).toBe(words);
});

it.each(['', '0 8 * *', '0 8 * * * *', '@daily', '0 8 L * *', '0 8 * * 1#2', '0 8 * 13 *', '<b> 8 * * *'])(
  'has no words for %j',
  (expression) => {
    expect(cronInWords(expression)).toBe(undefined);
  },
);
