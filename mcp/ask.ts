/**
 * Asks the user through the client. Until revision 2025-11-25 the server sends the client a request. Since 2026-07-28
 * it cannot: the call ends with the question, and the client repeats the call with the answer (MCP, "Multi Round-Trip
 * Requests").
 */
import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpRequestContext,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Call } from './tool.ts';

/** `modern` for revision 2026-07-28, `legacy` for those before. */
export type Era = McpRequestContext['era'];

/** Timeout for a user's answer. */
const ANSWER_TIMEOUT_MS = 30 * 60_000;

/** The only question of a call. */
const APPROVAL = 'approval';

/** A question is answered by accepting or declining it; there is nothing to fill in. */
const NO_FIELDS = { type: 'object' as const, properties: {} };

/** What a request of revision 2026-07-28 says in `_meta`. The type that the SDK has for it is empty. */
interface Envelope {
  [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
}

/** Signs questions: an answer only counts if this process has asked exactly this question. */
export const askedQuestions = createRequestStateCodec<string>({
  key: randomBytes(32),
  ttlSeconds: ANSWER_TIMEOUT_MS / 1000,
});

/** Ends a call that needs an answer first. */
export class AnswerNeeded extends Error {
  readonly question: string;

  constructor(question: string) {
    super('Expected an answer of the user.');
    this.question = question;
  }
}

/** The result of a call that ended with AnswerNeeded. */
export async function questionResult({ question }: AnswerNeeded): Promise<InputRequiredResult> {
  return inputRequired({
    inputRequests: { [APPROVAL]: inputRequired.elicit({ message: question, requestedSchema: NO_FIELDS }) },
    requestState: await askedQuestions.mint(question),
  });
}

/** Returns how a call asks the user; undefined if the client does not support questions. */
export function askerOf(server: Server, era: Era, context: ServerContext): Call['ask'] {
  const isModern = era === 'modern';
  const envelope: Envelope | undefined = context.mcpReq.envelope;
  const capabilities = isModern ? envelope?.[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities();
  if (!canAsk(capabilities)) return undefined;
  return (question) => (isModern ? readAnswer(question, context) : requestAnswer(question, context));
}

/** A client without modes can show a question (MCP, "Elicitation", "Capabilities"). */
function canAsk({ elicitation }: ClientCapabilities = {}): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

async function requestAnswer(question: string, { mcpReq: { send, signal } }: ServerContext): Promise<boolean> {
  const params = { message: question, requestedSchema: NO_FIELDS };
  try {
    const { action } = await send({ method: 'elicitation/create', params }, { signal, timeout: ANSWER_TIMEOUT_MS });
    return action === 'accept';
  } catch {
    // No answer counts as no approval.
    signal.throwIfAborted();
    return false;
  }
}

/** @throws AnswerNeeded if the call has no answer to this question yet */
async function readAnswer(question: string, { mcpReq }: ServerContext): Promise<boolean> {
  const answer = inputResponse(mcpReq.inputResponses, APPROVAL);
  if (answer.kind !== 'elicit' || mcpReq.requestState<string>() !== question) throw new AnswerNeeded(question);
  return answer.action === 'accept';
}
