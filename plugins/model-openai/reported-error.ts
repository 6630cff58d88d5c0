/** Reads what a server says in a reply with status 200 that is no answer. */
import { APICallError } from '@ai-sdk/provider';
import { statusOfReport } from '../model-kit/index.ts';
import { isObject } from './event-lines.ts';

type Json = Record<string, unknown>;

/** What a server says where it neither answers nor names an error: `{"success": false, "message": "…"}`. */
export function saidInstead({ code, usage, message, msg, detail, base_resp: response }: Json): string | undefined {
  if (usage != null || code === 0) return undefined;
  const report = isObject(response) && response.status_code !== 0 ? response.status_msg : undefined;
  return [message, msg, detail, report].find((item) => typeof item === 'string' && item !== '') as string | undefined;
}

/** The failure that a server reports inside an answer, with the status that it would have had. */
export function reportedError(body: Json): APICallError {
  const report = isObject(body.error) ? body.error : { message: body.error };
  return new APICallError({
    message: typeof report.message === 'string' ? report.message : 'The server reported an error.',
    url: '',
    requestBodyValues: undefined,
    statusCode: statusOfReport(report),
    isRetryable: false,
    data: { error: report },
  });
}
