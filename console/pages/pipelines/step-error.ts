/** Finds the part of a pipeline that an error is about. */
export interface StepError {
  message: string;
  /** Starts at 0. Undefined if the error is about the whole pipeline. */
  step?: number;
  /** The parameter of the step that the error is about, if any. */
  parameter?: string;
  /** True if the error is about the condition of the step. */
  isOfCondition?: boolean;
}

/** Matches `steps[2].params.width`, `steps[0].when.any[1].format`, `steps[1].op` and `steps[1]`. */
const PARAM_PATH = /^steps\[(\d+)\](?:\.(op|when|params)\b(?:\.(\w+))?)?/;
/** Errors that occur only when a step runs name the step in the message. */
const STEP_IN_MESSAGE = /\bin step (\d+) \(/;

export function toStepError({ message, param = '' }: { message: string; param?: string | undefined }): StepError {
  const place = PARAM_PATH.exec(param);
  if (place) {
    const [, step, field, name] = place;
    return {
      message,
      step: Number(step),
      ...(field === 'params' && name !== undefined ? { parameter: name } : {}),
      ...(field === 'when' ? { isOfCondition: true } : {}),
    };
  }
  const number = STEP_IN_MESSAGE.exec(message)?.[1];
  return number === undefined ? { message } : { message, step: Number(number) - 1 };
}
