/** Sends e-mail through the server of IC_SMTP_URL. nodemailer is loaded only if that is set. */
import type { NodemailerError } from 'nodemailer';
import { expected, Failure } from '../../base/failure.ts';
import type { Config } from '../config.ts';

/** All in milliseconds. The last also limits a server that sends a little now and then. */
const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
const SEND_MS = 30_000;

export interface Message {
  /** Unique in this installation, ASCII without spaces. Mail programs recognise a repeated id as the same message. */
  id: string;
  /** One address. */
  to: string;
  subject: string;
  text: string;
}

/** Why a message was refused. Contains no address and no credentials, which the texts of servers do. */
export interface MailError {
  /** Whether the same message would be refused again. */
  permanent: boolean;
  code: string;
  /** Code of the operating system, such as ECONNREFUSED. */
  cause: string | undefined;
  /** The SMTP command that was refused, and the code of the server's reply. */
  command: string | undefined;
  answer: number | undefined;
}

export interface Mailer {
  /** Resolves within half a minute. Returns undefined if the server has accepted the message. */
  send(message: Message): Promise<MailError | undefined>;
  close(): void;
}

/**
 * Creates a mailer, or returns undefined without IC_SMTP_URL. Connects only when there is something to send.
 * @throws Failure if the address of the server cannot be used
 */
export async function createMailer({
  smtpUrl,
  mailFrom,
}: Pick<Config, 'smtpUrl' | 'mailFrom'>): Promise<Mailer | undefined> {
  if (smtpUrl === undefined) return undefined;
  const { createTransport } = await import('nodemailer');
  const transport = transportTo(createTransport, smtpUrl);
  const domain = mailFrom.slice(mailFrom.lastIndexOf('@') + 1).replace('>', '');
  return {
    async send({ id, to, subject, text }) {
      try {
        await transport.sendMail({
          from: mailFrom,
          // An object is one address, whatever it contains. A string would be split at commas.
          to: { name: '', address: to },
          subject,
          text,
          textEncoding: 'quoted-printable',
          messageId: `<${id}@${domain}>`,
          // Asks automatic responders not to reply (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal: AbortSignal.timeout(SEND_MS),
        });
        return undefined;
      } catch (error) {
        return faultOf(error as NodemailerError);
      }
    },
    close: () => transport.close(),
  };
}

function transportTo(createTransport: typeof import('nodemailer').createTransport, url: string) {
  try {
    return createTransport({
      url,
      dnsTimeout: CONNECT_MS,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    });
  } catch {
    // Without the cause, which contains the address with its password.
    throw new Failure('invalid_parameter', expected('an address of a mail server', 'IC_SMTP_URL', '***'));
  }
}

function faultOf({ code, originalCode, command, responseCode, permanent, name }: NodemailerError): MailError {
  return {
    permanent: isUnusable(code, command) || (permanent === true && isAboutTheMessage(command)),
    code: code ?? name,
    cause: originalCode,
    command,
    answer: responseCode,
  };
}

/** nodemailer itself refuses an address that would break out of its SMTP command. */
const isUnusable = (code: string | undefined, command: string | undefined) => code === 'EENVELOPE' && command === 'API';

/**
 * True if the message was refused, not the sender, the credentials
 * or the connection, which an operator may fix meanwhile.
 */
const isAboutTheMessage = (command: string | undefined) => command === 'RCPT TO' || command === 'DATA';
