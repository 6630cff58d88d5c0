/** Answers what is said without data: greetings, help, what there is, what a term means. */
import type { Lexicon } from '../words/lexicon.ts';
import { keyOf, nameWords } from '../words/stem.ts';
import { tokenize } from '../words/tokenize.ts';

const HELP =
  /^(hi|hello|hey|hey there|hi there|hello there|good (morning|afternoon|evening)|help|help me|what can (you|i) (answer|do|ask|ask you|ask about|tell me)( about)?|what (questions|kinds? of questions) can (you|i) (answer|ask)|how (does this|do you|do i use this) work|who are you|what are you|what do you know|examples|show me examples|give me (some )?examples?)$/;
const THANKS = /^(thanks|thank you|thank you very much|thanks a lot|great thanks|thx|cheers)$/;
const SCHEMA =
  /^(what|which|list|show|show me|describe)( all| the| me)*( )?(tables|entities|data|data sets|datasets|schema|database|data model|information)( (are there|is there|do (you|we) have|do you know|are available|is available|exist|can i ask about|can i query|have you got))?$/;
const MEANING =
  /^(?:what (?:does|do|is meant by|is the meaning of|is the definition of) (?:an? |the )?(.+?)(?: mean| stand for)?|what is meant by (.+)|define (.+)|(?:the )?(?:meaning|definition) of (.+)|explain (?:the term )?(.+)|how (?:is|are) (.+?) (?:defined|calculated|computed))$/;

const NAMED = 12;
const LISTED = 40;

/** The answer to a message that asks for no data; `undefined` when it may ask for some. */
export function smallTalk(message: string, lexicon: Lexicon, examples: () => readonly string[]): string | undefined {
  const plain = tokenize(message)
    .filter(({ kind }) => kind !== 'sign')
    .map(({ word }) => word)
    .join(' ');
  const entities = [...lexicon.entities.values()];
  const more = (shown: number): string => (entities.length > shown ? ` and ${entities.length - shown} more` : '');
  if (HELP.test(plain)) {
    const names = entities.slice(0, NAMED).map(({ many }) => many);
    const asked = examples().map((question) => `- ${question}`);
    return `I answer questions in English about ${names.join(', ')}${more(NAMED)}, from the database, without a language model. For example:\n${asked.join('\n')}`;
  }
  if (THANKS.test(plain)) return 'You are welcome.';
  if (SCHEMA.test(plain)) {
    const lines = entities
      .slice(0, LISTED)
      .map(({ name, model, many }) => `- ${name}: ${model.description || model.grain || many}`);
    return `There is data about:\n${lines.join('\n')}${more(LISTED)}`;
  }
  const subject = MEANING.exec(plain)
    ?.slice(1)
    .find((part) => part !== undefined);
  return subject === undefined ? undefined : meaningOf(subject, lexicon);
}

function meaningOf(subject: string, { phrases }: Lexicon): string | undefined {
  const meanings = phrases.get(keyOf(nameWords(subject))) ?? [];
  const term = meanings.find((meaning) => meaning.kind === 'term')?.term;
  if (term) {
    const lines = (term.meanings ?? []).map((one) =>
      typeof one === 'string' ? `- ${one}` : `- ${one.name}${one.description ? `: ${one.description}` : ''}`,
    );
    const text =
      term.definition ?? (lines.length > 0 ? 'It has several meanings.' : 'The glossary has no definition of it.');
    return [`${term.term}: ${text}`, ...lines].join('\n');
  }
  for (const one of meanings) {
    const part =
      one.kind === 'measure'
        ? (one.metric ?? one.measure)
        : one.kind === 'dimension'
          ? one.dimension
          : one.kind === 'segment'
            ? one.segment
            : one.kind === 'entity'
              ? one.entity.model
              : undefined;
    if (part?.description) return `${subject}: ${part.description}`;
  }
  return undefined;
}
