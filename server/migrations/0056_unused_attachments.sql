-- What kept release 0.2 from deleting files of Documents (0023), and release 0.5 those of private streams (0043).
drop trigger keep_document_file on attachments;
drop function keep_document_file();
drop trigger keep_private_file on attachments;
drop function keep_private_file();
