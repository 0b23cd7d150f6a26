/** Which place of a pipeline a refusal is about. */
export interface Fault {
  message: string;
  /** From 0; undefined where it is about the whole. */
  step?: number;
  /** Of its parameters, when it is about one. */
  parameter?: string;
  /** It is about the condition of the step. */
  isOfCondition?: boolean;
}

/** `steps[2].params.width`, `steps[0].when.any[1].format`, `steps[1].op`, `steps[1]`. */
const PLACE = /^steps\[(\d+)\](?:\.(op|when|params)\b(?:\.(\w+))?)?/;
/** The service names the step in its sentence where only running it could show the fault. */
const IN_SENTENCE = /\bin step (\d+) \(/;

export function faultOf({ message, param = '' }: { message: string; param?: string | undefined }): Fault {
  const place = PLACE.exec(param);
  if (place) {
    const [, step, field, name] = place;
    return {
      message,
      step: Number(step),
      ...(field === 'params' && name !== undefined ? { parameter: name } : {}),
      ...(field === 'when' ? { isOfCondition: true } : {}),
    };
  }
  const number = IN_SENTENCE.exec(message)?.[1];
  return number === undefined ? { message } : { message, step: Number(number) - 1 };
}
